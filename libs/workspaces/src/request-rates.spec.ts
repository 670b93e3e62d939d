import { describe, expect, it } from 'vitest';
import { RequestRates, type SharedTokens } from './request-rates.ts';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it("grants a minute's tokens at once to an idle caller, and then as many as are refilled", () => {
    const bucket = new TokenBucket(60, 0);
    expect(bucket.take(100, 60, 0)).toEqual({ granted: 60, left: 0, waitMs: 0 });
    expect(bucket.take(1, 60, 500)).toEqual({ granted: 0, left: 0, waitMs: 500 });
    expect(bucket.take(1, 60, 1_000).granted).toBe(1);
    expect(bucket.take(100, 60, 1e12).granted).toBe(60);
  });

  it('follows a changed quota, without refunding used tokens', () => {
    const bucket = new TokenBucket(60, 0);
    bucket.take(60, 60, 0);
    expect(bucket.take(1, 6_000, 0).granted).toBe(0);
    expect(bucket.take(1, 6_000, 10).granted).toBe(1);
    expect(new TokenBucket(600, 0).take(600, 5, 0).granted).toBe(5);
  });

  it('distinguishes the largest quota from none at all', () => {
    const bucket = new TokenBucket(999_999_999_999_999, 0);
    expect(bucket.take(1, 999_999_999_999_999, 0)).toEqual({ granted: 1, left: 999_999_999_999_998, waitMs: 0 });
    expect(bucket.take(1, 999_999_999_999_999, Number.MAX_SAFE_INTEGER)).toMatchObject({ granted: 1, left: 999_999_999_999_998 });
  });
});

describe('RequestRates', () => {
  /** A bucket that processes share, with its own clock. */
  class Shared implements SharedTokens {
    readonly #buckets = new Map<string, TokenBucket>();
    fetches = 0;
    now = 0;
    down = false;

    async take(name: string, wanted: number, perMinute: number) {
      this.fetches++;
      if (this.down) throw new Error('down');
      const bucket = this.#buckets.get(name) ?? new TokenBucket(perMinute, this.now);
      this.#buckets.set(name, bucket);
      return bucket.take(wanted, perMinute, this.now);
    }
  }

  const granted = async (rates: RequestRates, tenantId: string, perMinute: number, times: number): Promise<number> => {
    const responses = await Promise.all(Array.from({ length: times }, () => rates.take(tenantId, perMinute)));
    return responses.filter((response) => response.granted === 1).length;
  };

  it('counts each workspace separately', async () => {
    const rates = new RequestRates({ now: () => 0 });
    expect(await granted(rates, 'loud', 10, 1_000)).toBe(10);
    expect(await granted(rates, 'quiet', 10, 10)).toBe(10);
  });

  it('grants the quota across several processes, and returns when to retry', async () => {
    const shared = new Shared();
    const processes = Array.from({ length: 4 }, () => new RequestRates({ shared, now: () => 0 }));
    const all = await Promise.all(processes.map((rates) => granted(rates, 'a', 1_200, 1_000)));
    const sum = all.reduce((total, one) => total + one, 0);
    expect(sum).toBeLessThanOrEqual(1_200);
    // Each process may keep tokens for a tenth of a second.
    expect(sum).toBeGreaterThanOrEqual(1_200 - 4 * 2);
    expect((await new RequestRates({ shared, now: () => 0 }).take('a', 1_200)).waitMs).toBe(50);
    shared.now = 50;
    expect(await granted(processes[0]!, 'a', 1_200, 5)).toBe(1);
  });

  it('spreads the retry times of rejected requests at the refill rate, up to a bound', async () => {
    let now = 0;
    const rates = new RequestRates({ now: () => now });
    expect(await granted(rates, 'a', 60, 60)).toBe(60);
    const waits: number[] = [];
    for (let i = 0; i < 100; i++) waits.push((await rates.take('a', 60)).waitMs);
    expect(waits).toEqual(Array.from({ length: 100 }, (_, i) => Math.min(i + 1, 10) * 1_000));
    // Clients that retry at the suggested time get a token each.
    for (const waitMs of waits.slice(0, 10)) {
      now = waitMs;
      expect((await rates.take('a', 60)).granted).toBe(1);
    }
    // The suggested times have passed, so the next client gets the next token.
    now = 120_000;
    expect(await granted(rates, 'a', 60, 60)).toBe(60);
    expect((await rates.take('a', 60)).waitMs).toBe(1_000);
    expect((await rates.take('b', 1)).granted).toBe(1);
    expect((await rates.take('b', 1)).waitMs).toBe(60_000);
  });

  it('a busy workspace needs one fetch for many requests, and a small quota is counted exactly', async () => {
    const shared = new Shared();
    const rates = new RequestRates({ shared, now: () => 0 });
    expect(await granted(rates, 'busy', 600_000, 10_000)).toBe(10_000);
    expect(shared.fetches).toBe(10);
    const two = [new RequestRates({ shared, now: () => 0 }), new RequestRates({ shared, now: () => 0 })];
    const small = await Promise.all(two.map((one) => granted(one, 'small', 6, 50)));
    expect(small[0]! + small[1]!).toBe(6);
  });

  it('counts locally while the shared counter is down, reports it once, and retries later', async () => {
    const shared = new Shared();
    const reported: unknown[] = [];
    let now = 0;
    const rates = new RequestRates({ shared, now: () => now, onError: (error) => reported.push(error) });
    shared.down = true;
    expect(await granted(rates, 'a', 10, 100)).toBe(10);
    now = 2_500;
    await rates.take('a', 10);
    expect(reported).toHaveLength(1);
    shared.down = false;
    now = 5_000;
    expect(await granted(rates, 'a', 10, 100)).toBe(10);
    shared.down = true;
    now = 6_000;
    await rates.take('a', 10);
    expect(reported).toHaveLength(2);
  });
});
