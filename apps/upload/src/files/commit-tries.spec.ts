import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { commitTries, inCommitTries } from './commit-tries.ts';

/**
 * An attempt with these results, one per call. Throws a result that is an error. Counts its calls.
 */
function scripted(...results: readonly unknown[]) {
  const attempt = async (): Promise<unknown> => {
    const result = results[attempt.calls++];
    if (result instanceof Error) throw result;
    return result;
  };
  attempt.calls = 0;
  return attempt;
}

/** An internal server error, for which there is no more specific code. */
const internal = (): Error => Object.assign(new Error('shard is moving'), { code: 'XX000' });

describe('a commit', () => {
  it('is attempted once if it succeeds', async () => {
    const attempt = scripted('done');
    expect([await inCommitTries(attempt), attempt.calls]).toEqual(['done', 1]);
  });

  it('is attempted again after a transient error, and after one that found something changed', async () => {
    const attempt = scripted(internal(), null, 'done');
    expect([await inCommitTries(attempt), attempt.calls]).toEqual(['done', 3]);
  });

  it('fails with the last error, or returns null, after the last attempt', async () => {
    const failing = scripted(...Array.from({ length: commitTries + 1 }, internal));
    await expect(inCommitTries(failing)).rejects.toThrow('shard is moving');
    const changing = scripted(...Array.from({ length: commitTries + 1 }, () => null));
    expect([await inCommitTries(changing), failing.calls, changing.calls]).toEqual([null, commitTries, commitTries]);
  });

  it.each([
    ['a problem, which the client should learn now', new Problem('store-unavailable', 'down')],
    ['a mistake in the code', new TypeError('x is not a function')],
    ['a caller that no longer waits', new DOMException('aborted', 'AbortError')],
  ])('is not attempted again after %s', async (_, error) => {
    const attempt = scripted(error, 'done');
    await expect(inCommitTries(attempt)).rejects.toBe(error);
    expect(attempt.calls).toBe(1);
  });
});
