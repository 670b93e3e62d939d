import { describe, expect, it } from 'vitest';
import { inBrief, inFull } from './error-text.ts';

const error = new Error('the store cannot be used', { cause: new TypeError('no bucket', { cause: 'ECONNREFUSED' }) });

describe('the text of an error', () => {
  it('includes all causes', () => {
    expect(inBrief(error)).toBe('Error: the store cannot be used, caused by TypeError: no bucket, caused by ECONNREFUSED');
    expect(inFull(error)).toMatch(
      /^Error: the store cannot be used\n +at .*\ncaused by TypeError: no bucket\n +at .*\ncaused by ECONNREFUSED$/s,
    );
  });

  it('includes every error of an aggregate', () => {
    const several = new AggregateError([new Error('first'), new Error('second')], 'both failed');
    expect(inBrief(several)).toBe('AggregateError: both failed, caused by Error: first, caused by Error: second');
  });
});
