import { beforeEach, describe, expect, it } from 'vitest';
import { QueueAbsence } from './queue-absence.ts';

describe('whether the queue is of use', () => {
  let now: number;
  let absence: QueueAbsence;
  const after = (ms: number): QueueAbsence => {
    now += ms;
    return absence;
  };

  beforeEach(() => {
    now = 5_000;
    absence = new QueueAbsence({ awayMs: 1_000, refusedMs: 3_000 }, () => now);
  });

  it('is, before anything was seen', () => {
    expect([absence.isAway(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, false, null]);
  });

  it('is not when there has been no connection for a while, however often one asks', () => {
    absence.disconnected();
    expect([absence.isAway(), absence.leftMs()]).toEqual([false, 1_000]);
    after(999.5).disconnected();
    expect([absence.isAway(), absence.leftMs()]).toEqual([false, 0.5]);
    after(0.5);
    expect([absence.isAway(), absence.leftMs()]).toEqual([true, null]);
  });

  it('is again when a connection has lasted', () => {
    absence.disconnected();
    after(60_000).connected();
    expect([absence.isAway(), absence.leftMs()]).toEqual([true, 1_000]);
    after(999);
    expect(absence.isAway()).toBe(true);
    after(1);
    expect([absence.isAway(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, false, null]);
  });

  it('is not while connections come and go, whether or not somebody saw one end', () => {
    absence.disconnected();
    after(700).connected();
    for (let crash = 0; crash < 3; crash++) {
      after(800).disconnected();
      expect(absence.isAway(), `crash ${crash}`).toBe(true);
      after(700).connected();
      expect(absence.isAway(), `return ${crash}`).toBe(true);
    }
    for (let crash = 0; crash < 3; crash++) {
      after(900).connected();
      expect(absence.isAway(), `unseen crash ${crash}`).toBe(true);
    }
    expect(after(1_000).isAway()).toBe(false);
  });

  it('is all the time when the connection is lost for less than that', () => {
    absence.disconnected();
    after(200).connected();
    after(900);
    expect([absence.isAway(), absence.isUnsteady(), absence.leftMs()]).toEqual([false, true, 100]);
    expect(after(100).isAway()).toBe(false);
  });

  it('counts an absence from its own beginning', () => {
    absence.disconnected();
    after(5_000).connected();
    after(2_000).disconnected();
    expect(absence.isAway()).toBe(false);
    expect(after(1_000).isAway()).toBe(true);
  });

  it('is not for a while after a refusal, by a connection that is well', () => {
    absence.connected();
    after(2_000).refused();
    expect([absence.isRefusing(), absence.isAway(), absence.isUnsteady()]).toEqual([true, true, false]);
    after(2_999).refused();
    expect(after(2_999).isAway()).toBe(true);
    expect(after(1).isAway()).toBe(false);
  });
});
