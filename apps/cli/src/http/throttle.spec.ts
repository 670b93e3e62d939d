import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { Throttle } from './throttle.ts';

function rejection(status: number, retryAfter?: string): ApiError {
  return new ApiError('Testing', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body: Buffer.alloc(0) });
}

/** A fake environment in which sleeping takes no time but is recorded. */
function world(atOnce: number) {
  const pauses: number[] = [];
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
    now += ms;
    await Promise.resolve();
  };
  return { throttle: new Throttle({ atOnce, random: () => 0, now: () => now, sleep }), pauses };
}

describe('Throttle', () => {
  it('runs requests up to its limit, and the next when one ends', async () => {
    const { throttle } = world(2);
    const ends: (() => void)[] = [];
    let started = 0;
    const request = (): Promise<void> => {
      started++;
      return new Promise((resolve) => ends.push(resolve));
    };
    const all = Array.from({ length: 3 }, () => throttle.run(request));
    await Promise.resolve();
    expect(started).toBe(2);
    ends.shift()!();
    await all[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(3);
    for (const end of ends) end();
    await Promise.all(all);
  });

  it('starts no request until the time that the server requested, then half as many at once', async () => {
    const { throttle, pauses } = world(8);
    await Promise.allSettled(Array.from({ length: 4 }, () => throttle.run(() => Promise.reject(rejection(429, '3')))));
    expect(throttle.allowed).toBe(4); // four rejections of concurrent requests count as one
    await throttle.run(async () => 'done');
    expect(pauses).toEqual([3000]);
    await throttle.run(async () => 'done');
    expect(pauses).toEqual([3000]);
  });

  it('halves down to one at a time, and adds one for every full round of successes', async () => {
    const { throttle } = world(4);
    for (let i = 0; i < 5; i++) await throttle.run(() => Promise.reject(rejection(503, '1'))).catch(() => undefined);
    expect(throttle.allowed).toBe(1);
    const allowed: number[] = [];
    for (let i = 0; i < 7; i++) {
      await throttle.run(async () => 'done');
      allowed.push(throttle.allowed);
    }
    expect(allowed).toEqual([2, 2, 3, 3, 3, 4, 4]);
  });

  it('is not slowed down by other failures', async () => {
    const { throttle, pauses } = world(4);
    for (const error of [rejection(409), rejection(503), rejection(500, '5'), new Error('gone')])
      await throttle.run(() => Promise.reject(error)).catch(() => undefined);
    await throttle.run(async () => 'done');
    expect([throttle.allowed, pauses]).toEqual([4, []]);
  });
});
