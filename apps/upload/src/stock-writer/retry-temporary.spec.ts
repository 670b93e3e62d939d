import { expect, it, vi } from 'vitest';
import { Problem } from '#model';
import { retryTemporary } from './retry-temporary.ts';

const never = new AbortController().signal;
const temporary = (): Problem => new Problem('too-much-pending', 'Wait.', { retryAfterSeconds: 0.001 });

it('retries until the temporary error is gone', async () => {
  const work = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(temporary())
    .mockRejectedValueOnce(temporary())
    .mockResolvedValue('done');
  await expect(retryTemporary({ ms: 10_000, signal: never }, work)).resolves.toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
});

it('gives up after its time limit, and at once for a permanent error', async () => {
  const full = vi.fn<() => Promise<string>>().mockRejectedValue(new Problem('insufficient-storage', 'Full.', { retryAfterSeconds: 60 }));
  await expect(retryTemporary({ ms: 1_000, signal: never }, full)).rejects.toThrow('Full.');
  const gone = vi.fn<() => Promise<string>>().mockRejectedValue(new Problem('experiment-not-found', 'Gone.'));
  await expect(retryTemporary({ ms: 60_000, signal: never }, gone)).rejects.toThrow('Gone.');
  const broken = vi.fn<() => Promise<string>>().mockRejectedValue(new TypeError('ours'));
  await expect(retryTemporary({ ms: 60_000, signal: never }, broken)).rejects.toThrow('ours');
  expect([full.mock.calls.length, gone.mock.calls.length, broken.mock.calls.length]).toEqual([1, 1, 1]);
});

it('does not retry for a caller that is gone', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(temporary());
  await expect(retryTemporary({ ms: 60_000, signal: AbortSignal.abort() }, work)).rejects.toThrow('Wait.');
  expect(work).toHaveBeenCalledOnce();
});
