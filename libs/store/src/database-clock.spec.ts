import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

const day = 86_400_000;

describe('the clock of the database', () => {
  /** What a clock on the wall beside the database shows. */
  let there = 0;
  /** What a stopwatch beside this process shows. */
  let elapsed = 0;
  let asked = 0;
  let fails: Error | null = null;
  /** How long the way to the database takes, there and back. */
  let wayMs = 0;
  const pass = (ms: number) => {
    there += ms;
    elapsed += ms;
  };
  const ask = async () => {
    asked++;
    if (fails) throw fails;
    pass(wayMs / 2);
    const time = there;
    pass(wayMs / 2);
    return time;
  };
  beforeEach(() => {
    [there, elapsed, asked, fails, wayMs] = [1_700_000_000_000, 5_000, 0, null, 0];
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const newClock = () => new DatabaseClock(ask, () => elapsed);

  it('goes on by itself for a minute, and is asked once, however many want to know', async () => {
    const clock = newClock();
    expect(await Promise.all([clock.now(), clock.now(), clock.now()])).toEqual([there, there, there]);
    pass(59_999);
    expect([await clock.now(), asked]).toEqual([there, 1]);
    pass(1);
    expect([await clock.now(), asked]).toEqual([there, 2]);
  });

  it('says whole milliseconds, as a date has them', async () => {
    there += 0.7;
    expect(await newClock().now()).toBe(1_700_000_000_000);
  });

  it('does not follow the time of day of this machine, whichever way that jumps', async () => {
    const clock = newClock();
    vi.useFakeTimers({ toFake: ['Date'], now: there + day });
    expect(await clock.now()).toBe(there);
    vi.setSystemTime(there - day);
    expect(await clock.now()).toBe(there);
    pass(60_000);
    expect(await clock.now()).toBe(there);
  });

  it('is learnt again within a minute when that of the database jumps', async () => {
    const clock = newClock();
    await clock.now();
    for (const jump of [day, -2 * day]) {
      there += jump;
      expect(await clock.now()).toBe(there - jump);
      pass(60_000);
      expect(await clock.now()).toBe(there);
    }
  });

  it('is right in the middle of the way there and back, and is not taken from an answer that took too long', async () => {
    const clock = newClock();
    wayMs = 10_000;
    expect(await clock.now()).toBe(there);
    pass(60_000);
    wayMs = 10_001;
    await expect(clock.now()).rejects.toMatchObject({ code: 'store-unavailable' });
    wayMs = 20;
    expect(await clock.now()).toBe(there);
  });

  it('has no time while the database cannot be asked: none that was never learnt, and no old one', async () => {
    const clock = newClock();
    fails = new Error('away');
    await expect(clock.now()).rejects.toThrow('away');
    fails = null;
    expect(await clock.now()).toBe(there);
    fails = new Error('away again');
    pass(60_000);
    await expect(Promise.all([clock.now(), clock.now()])).rejects.toThrow('away again');
    fails = null;
    expect([await clock.now(), asked]).toEqual([there, 4]);
  });
});
