import { expect, it, vi } from 'vitest';
import { Problem } from '#model';
import { patiently } from './patience.ts';

const never = new AbortController().signal;
const passing = (): Problem => new Problem('too-much-pending', 'Wait.', { retryAfterSeconds: 0.001 });

it('does it again until what is in the way has passed', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(passing()).mockRejectedValueOnce(passing()).mockResolvedValue('done');
  await expect(patiently({ ms: 10_000, signal: never }, work)).resolves.toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
});

it('gives up when it may wait no longer, and at once for what will not pass', async () => {
  const full = vi.fn<() => Promise<string>>().mockRejectedValue(new Problem('insufficient-storage', 'Full.', { retryAfterSeconds: 60 }));
  await expect(patiently({ ms: 1_000, signal: never }, full)).rejects.toThrow('Full.');
  const gone = vi.fn<() => Promise<string>>().mockRejectedValue(new Problem('experiment-not-found', 'Gone.'));
  await expect(patiently({ ms: 60_000, signal: never }, gone)).rejects.toThrow('Gone.');
  const broken = vi.fn<() => Promise<string>>().mockRejectedValue(new TypeError('ours'));
  await expect(patiently({ ms: 60_000, signal: never }, broken)).rejects.toThrow('ours');
  expect([full.mock.calls.length, gone.mock.calls.length, broken.mock.calls.length]).toEqual([1, 1, 1]);
});

it('does not go on for somebody who has left', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(passing());
  await expect(patiently({ ms: 60_000, signal: AbortSignal.abort() }, work)).rejects.toThrow('Wait.');
  expect(work).toHaveBeenCalledOnce();
});
