import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

const day = 86_400_000;

describe('the clock of the database', () => {
  /** The true time, which the database knows. */
  let there = 0;
  /** The monotonic clock of this process. */
  let elapsed = 0;
  /** This machine's clock. It can be set, and continues while the machine sleeps. */
  let timeOfDay = 0;
  let asked = 0;
  let fails: Error | null = null;
  /** Round trip time to the database. */
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

  it('continues locally for a minute, with one query for concurrent callers', async () => {
    const clock = newClock();
    expect(await Promise.all([clock.now(), clock.now(), clock.now()])).toEqual([there, there, there]);
    pass(59_999);
    expect([await clock.now(), asked]).toEqual([there, 1]);
    pass(1);
    expect([await clock.now(), asked]).toEqual([there, 2]);
  });

  it('returns whole milliseconds, like a date', async () => {
    there += 0.7;
    expect(await newClock().now()).toBe(1_700_000_000_000);
  });

  it('ignores jumps of the local clock: it queries again', async () => {
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

  it('queries before use when the machine has slept, for an hour or for six seconds', async () => {
    const clock = newClock();
    await clock.now();
    sleep(3_600_000);
    expect([await clock.now(), asked]).toEqual([there, 2]);
    sleep(6_000);
    expect([await clock.now(), asked]).toEqual([there, 3]);
    sleep(6_000);
    fails = new Error('down');
    await expect(clock.now()).rejects.toThrow('down');
  });

  it('queries again when the machine slept during the query', async () => {
    const responses = [
      async () => {
        const time = await ask();
        sleep(3_600_000);
        return time;
      },
      ask,
    ];
    const clock = new DatabaseClock(
      () => responses.shift()!(),
      () => elapsed,
      () => timeOfDay - elapsed,
    );
    expect([await clock.now(), asked]).toEqual([there, 2]);
  });

  it('detects sleep by comparing the clocks of this machine', async () => {
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

  it('follows a jump of the database clock within a minute', async () => {
    const clock = newClock();
    await clock.now();
    for (const jump of [day, -2 * day]) {
      there += jump;
      expect(await clock.now()).toBe(there - jump);
      pass(60_000);
      expect(await clock.now()).toBe(there);
    }
  });

  it('assumes the middle of the round trip, and rejects an answer that took too long', async () => {
    const clock = newClock();
    wayMs = 10_000;
    expect(await clock.now()).toBe(there);
    pass(60_000);
    wayMs = 10_001;
    await expect(clock.now()).rejects.toMatchObject({ code: 'store-unavailable' });
    wayMs = 20;
    expect(await clock.now()).toBe(there);
  });

  it('throws while the database is down, instead of returning an old time', async () => {
    const clock = newClock();
    fails = new Error('down');
    await expect(clock.now()).rejects.toThrow('down');
    fails = null;
    expect(await clock.now()).toBe(there);
    fails = new Error('down again');
    pass(60_000);
    await expect(Promise.all([clock.now(), clock.now()])).rejects.toThrow('down again');
    fails = null;
    expect([await clock.now(), asked]).toEqual([there, 4]);
  });
});
