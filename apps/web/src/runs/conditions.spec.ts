import { describe, expect, it } from 'vitest';
import { meets, readConditions, writeConditions } from './conditions.ts';

describe('a condition', () => {
  it.each([
    [0.1, '> 0.05', true],
    [0.1, '<0.05', false],
    [0.1, '0.1..1', true],
    [0.1, '=0.1', true],
    ['adam', 'DA', true],
    ['adam', '> 3', false],
    [true, 'true', true],
    [null, '> 0', false],
    [null, '', true],
    [null, '>=', true],
    ['a=b', '==', true],
    [5, '1e', false],
    [12_345_678_901_234_567_168, '7168', true],
    [1_234_567_891, '= 1234567891', true],
    [-0.5, '-0.5', true],
    ['adam', '["adam","sgd"]', true],
    ['adamw', '["adam","sgd"]', false],
    [true, '[true,"false"]', true],
    ['true', '[true]', false],
    [0.1, '[0.1]', true],
    ['a [b', '[b', true],
    ['[]', '[]', true],
  ])('%s meets %s: %s', (value, condition, met) => expect(meets(value, condition)).toBe(met));

  it('the address contains the conditions', () => {
    const conditions = new Map([
      ['h:a b %', '> 1'],
      ['m:x', ''],
    ]);
    expect([...readConditions(writeConditions(conditions))]).toEqual([['h:a b %', '> 1']]);
    expect([...readConditions(['%zz 1', 'none', ' x'])]).toEqual([]);
  });
});
