import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { NetworkError } from './http-client.ts';
import { Retry } from './retry.ts';
import { retryAfterMs } from './retry-after.ts';

function rejection(status: number, headers: Record<string, string> = {}, code = 'x'): ApiError {
  return new ApiError('Testing', {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: Buffer.from(JSON.stringify({ code })),
  });
}

/** A fake environment in which sleeping takes no time but is recorded. */
function world(giveUpAfterMs = 1e9, random = 1) {
  const pauses: number[] = [];
  let now = 0;
  const retry = new Retry({
    giveUpAfterMs,
    random: () => random,
    now: () => now,
    sleep: async (ms) => void (pauses.push(ms), (now += ms)),
  });
  return { retry, pauses };
}

function failing(times: number, error: Error): () => Promise<string> {
  return async () => {
    if (times-- > 0) throw error;
    return 'done';
  };
}

describe('Retry', () => {
  it('doubles its delays up to ten seconds', async () => {
    const { retry, pauses } = world();
    await retry.run(failing(9, new NetworkError('gone')));
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('spreads delays over the whole interval', async () => {
    const { retry, pauses } = world(1e9, 0.25);
    await retry.run(failing(3, rejection(503)));
    expect(pauses).toEqual([25, 50, 100]);
  });

  it('waits for Retry-After and a random time more, so that clients do not return together', async () => {
    const { retry, pauses } = world(1e9, 0.5);
    await retry.run(failing(1, rejection(429, { 'retry-after': '4' })));
    expect(pauses).toEqual([4500]);
  });

  it('retries at once when the server has closed a kept-alive connection', async () => {
    const { retry, pauses } = world();
    await retry.run(failing(1, new NetworkError('reset', { staleConnection: true })));
    expect(pauses).toEqual([0]);
  });

  it.each([400, 401, 403, 404, 409, 413, 422])('does not retry a permanent error (%i)', async (status) => {
    const { retry, pauses } = world();
    await expect(retry.run(failing(1, rejection(status)))).rejects.toThrow(ApiError);
    expect(pauses).toEqual([]);
  });

  it('sends a body again that was damaged in transit', async () => {
    const { retry } = world();
    expect(await retry.run(failing(1, rejection(400, {}, 'digest-mismatch')))).toBe('done');
  });

  it('gives up after its time limit without any success, and not while other requests succeed', async () => {
    const { retry } = world(5000);
    await expect(retry.run(failing(1000, new NetworkError('gone')))).rejects.toThrow('gone');
    const other = world(5000);
    let left = 20;
    await other.retry.run(async () => {
      await other.retry.run(async () => 'fine');
      if (left-- > 0) throw new NetworkError('gone');
    });
    expect(other.pauses.reduce((a, b) => a + b)).toBeGreaterThan(5000);
  });

  it('waits as long as the server asks', async () => {
    const { retry, pauses } = world(5000);
    expect(await retry.run(failing(50, rejection(429, { 'retry-after': '4' })))).toBe('done');
    expect(pauses.reduce((a, b) => a + b)).toBeGreaterThan(200_000);
  });

  it('stops retrying when aborted', async () => {
    const { retry, pauses } = world();
    const stop = new AbortController();
    stop.abort();
    await expect(retry.run(failing(1, new NetworkError('gone')), stop.signal)).rejects.toThrow('gone');
    expect(pauses).toEqual([]);
  });
});

describe('retryAfterMs', () => {
  it('parses seconds and dates (RFC 9110, 10.2.3)', () => {
    expect(retryAfterMs('7')).toBe(7000);
    expect(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT', Date.parse('Wed, 21 Oct 2015 07:27:30 GMT'))).toBe(30_000);
    expect([retryAfterMs(undefined), retryAfterMs('soon'), retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT')]).toEqual([0, 0, 0]);
    expect(retryAfterMs('100000')).toBe(120_000);
  });
});
