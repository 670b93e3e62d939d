import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { isTransient, mapStoreError } from './store-error.ts';

const error = (message: string, code?: string): Error => Object.assign(new Error(message), code === undefined ? {} : { code });

describe('mapStoreError', () => {
  it.each([
    ['a full disk', error('x', '53100'), 'insufficient-storage', /space/],
    ['a server that stops', error('x', '57P01'), 'store-unavailable', /cannot be reached/],
    ['a server that starts', error('x', '57P03'), 'store-unavailable', /cannot be reached/],
    ['a server that is down', error('connect ECONNREFUSED', 'ECONNREFUSED'), 'store-unavailable', /cannot be reached/],
    ['a lost connection', error('Connection terminated unexpectedly'), 'store-unavailable', /cannot be reached/],
    [
      'a node lost during a commit',
      error('could not commit transaction for shard 1 on at least one active node', 'XX000'),
      'store-unavailable',
      /cannot be reached/,
    ],
    [
      'a node lost during a statement',
      error('server closed the connection unexpectedly', 'XX000'),
      'store-unavailable',
      /cannot be reached/,
    ],
    ['an idle transaction that was ended', error('x', '25P03'), 'store-unavailable', /cannot be reached/],
    ['a lock timeout', error('x', '55P03'), 'store-unavailable', /busy/],
    ['a deadlock', error('x', '40P01'), 'store-unavailable', /busy/],
    ['a serialization failure', error('x', '40001'), 'store-unavailable', /busy/],
    ['a statement timeout', error('x', '57014'), 'store-unavailable', /too long/],
    ['a connection timeout', error('timeout exceeded when trying to connect'), 'store-unavailable', /busy/],
  ])('%s has a code of its own, is retryable, and keeps its cause', (_, cause, code, detail) => {
    const problem = mapStoreError(cause) as Problem;
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ code, cause });
    expect(problem.message).toMatch(detail);
    expect(isTransient(problem)).toBe(true);
  });

  it('an internal error of Postgres is unchanged', () => {
    const corrupt = error('could not read block 1 in file', 'XX000');
    expect(mapStoreError(corrupt)).toBe(corrupt);
  });

  it('a rejected login is not mistaken for an outage, and is retryable', () => {
    const wrongPassword = error('password authentication failed for user "plotline_ingest"', '28P01');
    expect(mapStoreError(wrongPassword)).toBe(wrongPassword);
    expect(isTransient(wrongPassword)).toBe(true);
    expect(isTransient(error('permission denied for table tensor', '42501'))).toBe(true);
  });

  it.each([error('x', '23505'), error('x'), new Problem('not-found', 'x'), 'a text'])('any other error is unchanged', (thrown) => {
    expect(mapStoreError(thrown)).toBe(thrown);
    expect(isTransient(thrown)).toBe(false);
  });
});
