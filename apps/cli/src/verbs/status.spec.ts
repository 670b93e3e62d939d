import { describe, expect, it } from 'vitest';
import { reasonOf } from './status.ts';

describe('why a run is behind', () => {
  const failing = { why: 'failing', detail: 'The store is full.', next_try_at: null };

  it('counts failed attempts', () => {
    expect(reasonOf({ ...failing, failures: 1 })).toBe('failed 1 time: The store is full.');
    expect(reasonOf({ ...failing, failures: 3, next_try_at: '2100-01-01T00:00:00Z' })).toBe(
      'failed 3 times: The store is full.; next attempt at 2100-01-01T00:00:00Z',
    );
  });

  it('counts no attempts if none of them counts', () => {
    expect(reasonOf({ ...failing, failures: 0 })).toBe('cannot be ingested now: The store is full.');
  });
});
