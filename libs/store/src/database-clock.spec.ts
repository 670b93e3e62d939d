import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

const day = 86_400_000;

describe('the clock of the database', () => {
  /** The true time, as at the database. */
  let there = 0;
  /** The monotonic clock of this process. */
  let elapsed = 0;
  /** The clock of this machine, which may be set; it continues while the machine sleeps. */
  let timeOfDay = 0;
  let asked = 0;
  let fails: Error | null = null;
  /** Round trip to the database. */
  let wayMs = 0;
  const pass = (ms: number) => {
    there += ms;
    elapsed += ms;
    timeOfDay += ms;
  };
  const sleep = (ms: number) => {
    there += ms;
    timeOfDay += ms;
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
    [there, elapsed, timeOfDay, asked, fails, wayMs] = [1_700_000_000_000, 5_000, 1_600_000_000_000, 0, null, 0];
  });
  const newClock = () =>
    new DatabaseClock(
      ask,
      () => elapsed,
      () => timeOfDay - elapsed,
    );

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

  it('does not follow the time of day of this machine, whichever way that jumps: it is asked once more', async () => {
    const clock = newClock();
    expect([await clock.now(), asked]).toEqual([there, 1]);
    timeOfDay += day;
    expect([await clock.now(), await clock.now(), asked]).toEqual([there, there, 2]);
    timeOfDay -= 2 * day;
    expect([await clock.now(), await clock.now(), asked]).toEqual([there, there, 3]);
    timeOfDay += 5_000; // the size of a usual correction
    pass(59_999);
    expect([await clock.now(), asked]).toEqual([there, 3]);
  });

  it('is asked before it is used when the machine has slept, for an hour or for six seconds', async () => {
    const clock = newClock();
    await clock.now();
    sleep(3_600_000);
    expect([await clock.now(), asked]).toEqual([there, 2]);
    sleep(6_000);
    expect([await clock.now(), asked]).toEqual([there, 3]);
    sleep(6_000);
    fails = new Error('away');
    await expect(clock.now()).rejects.toThrow('away');
  });

  it('is asked again when the machine slept while it was asked', async () => {
    const answers = [
      async () => {
        const time = await ask();
        sleep(3_600_000);
        return time;
      },
      ask,
    ];
    const clock = new DatabaseClock(
      () => answers.shift()!(),
      () => elapsed,
      () => timeOfDay - elapsed,
    );
    expect([await clock.now(), asked]).toEqual([there, 2]);
  });

  it('sees by the clocks of this machine that it slept', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const clock = new DatabaseClock(ask);
      await clock.now();
      expect(asked).toBe(1);
      there += 3_600_000;
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(await clock.now()).toBe(there);
      await clock.now();
      expect(asked).toBe(2);
    } finally {
      vi.useRealTimers();
    }
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
