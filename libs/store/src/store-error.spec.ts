import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { isTransient, mapStoreError } from './store-error.ts';

const error = (message: string, code?: string): Error => Object.assign(new Error(message), code === undefined ? {} : { code });

describe('mapStoreError', () => {
  it.each([
    ['a full disk', error('x', '53100'), 'insufficient-storage', /space/],
    ['a server that stops', error('x', '57P01'), 'store-unavailable', /cannot be reached/],
    ['a server that starts', error('x', '57P03'), 'store-unavailable', /cannot be reached/],
    ['no server', error('connect ECONNREFUSED', 'ECONNREFUSED'), 'store-unavailable', /cannot be reached/],
    ['a lost connection', error('Connection terminated unexpectedly'), 'store-unavailable', /cannot be reached/],
    ['a transaction that was cut because we were silent', error('x', '25P03'), 'store-unavailable', /cannot be reached/],
    ['a lock that somebody keeps', error('x', '55P03'), 'store-unavailable', /busy/],
    ['a deadlock', error('x', '40P01'), 'store-unavailable', /busy/],
    ['a transaction that did not go with another', error('x', '40001'), 'store-unavailable', /busy/],
    ['a statement that took too long', error('x', '57014'), 'store-unavailable', /too long/],
    ['too many who ask at once', error('timeout exceeded when trying to connect'), 'store-unavailable', /busy/],
  ])('%s has a code of its own, may be tried again, and keeps its cause', (_, cause, code, detail) => {
    const problem = mapStoreError(cause) as Problem;
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ code, cause });
    expect(problem.message).toMatch(detail);
    expect(isTransient(problem)).toBe(true);
  });

  it('a server that does not let us in is not taken for one that is away, nor the transaction for a bad one', () => {
    const wrongPassword = error('password authentication failed for user "plotline_ingest"', '28P01');
    expect(mapStoreError(wrongPassword)).toBe(wrongPassword);
    expect(isTransient(wrongPassword)).toBe(true);
    expect(isTransient(error('permission denied for table tensor', '42501'))).toBe(true);
  });

  it.each([error('x', '23505'), error('x'), new Problem('not-found', 'x'), 'a text'])('anything else stays what it is', (thrown) => {
    expect(mapStoreError(thrown)).toBe(thrown);
    expect(isTransient(thrown)).toBe(false);
  });
});
