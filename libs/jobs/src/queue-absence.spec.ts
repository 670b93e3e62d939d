import { beforeEach, describe, expect, it } from 'vitest';
import { QueueAbsence } from './queue-absence.ts';

describe('whether the queue is usable', () => {
  let now: number;
  let absence: QueueAbsence;
  const after = (ms: number): QueueAbsence => {
    now += ms;
    return absence;
  };

  beforeEach(() => {
    now = 5_000;
    absence = new QueueAbsence({ downMs: 1_000, rejectedMs: 3_000 }, () => now);
  });

  it('is true initially', () => {
    expect([absence.isDown(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, false, null]);
  });

  it('is false after a while without a connection, however often it is read', () => {
    absence.disconnected();
    expect([absence.isDown(), absence.leftMs()]).toEqual([false, 1_000]);
    after(999.5).disconnected();
    expect([absence.isDown(), absence.leftMs()]).toEqual([false, 0.5]);
    after(0.5);
    expect([absence.isDown(), absence.leftMs()]).toEqual([true, null]);
  });

  it('is true again after a connection has lasted', () => {
    absence.disconnected();
    after(60_000).connected();
    expect([absence.isDown(), absence.leftMs()]).toEqual([true, 1_000]);
    after(999);
    expect(absence.isDown()).toBe(true);
    after(1);
    expect([absence.isDown(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, false, null]);
  });

  it('is false while connections come and go, whether or not each end was seen', () => {
    absence.disconnected();
    after(700).connected();
    for (let crash = 0; crash < 3; crash++) {
      after(800).disconnected();
      expect(absence.isDown(), `crash ${crash}`).toBe(true);
      after(700).connected();
      expect(absence.isDown(), `return ${crash}`).toBe(true);
    }
    for (let crash = 0; crash < 3; crash++) {
      after(900).connected();
      expect(absence.isDown(), `unseen crash ${crash}`).toBe(true);
    }
    expect(after(1_000).isDown()).toBe(false);
  });

  it('stays true when the connection is lost for a shorter time', () => {
    absence.disconnected();
    after(200).connected();
    after(900);
    expect([absence.isDown(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, true, 100]);
    expect(after(100).isDown()).toBe(false);
  });

  it('measures an outage from its own start', () => {
    absence.disconnected();
    after(5_000).connected();
    after(2_000).disconnected();
    expect(absence.isDown()).toBe(false);
    expect(after(1_000).isDown()).toBe(true);
  });

  it('is false for a while after Redis rejected a write on a working connection', () => {
    absence.connected();
    after(2_000).rejected();
    expect([absence.isRejecting(), absence.isDown(), absence.isUnsteady()]).toEqual([true, true, false]);
    after(2_999).rejected();
    expect(after(2_999).isDown()).toBe(true);
    expect(after(1).isDown()).toBe(false);
  });
});
