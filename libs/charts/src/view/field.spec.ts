import { describe, expect, it } from 'vitest';
import { type Field, flag, nameOrNull, names, namesOrNull, oneOf, optional, readList, readNumber, repeated, text } from './field.ts';

/** The value that a field reads from an address, and the text that it writes. */
function through<T>(field: Field<T>, address: string): readonly [value: T, address: string] {
  const value = field.read(new URLSearchParams(address));
  const parameters = new URLSearchParams();
  field.write(value, parameters);
  return [value, parameters.toString()];
}

describe('one parameter', () => {
  it('is written only if it differs from the value without it', () => {
    expect(through(text('a'), 'a=x')).toEqual(['x', 'a=x']);
    expect(through(text('a'), 'a=')).toEqual(['', '']);
    expect(through(flag('a'), 'a=true')).toEqual([true, 'a=true']);
    expect(through(flag('a'), 'a=yes')).toEqual([false, '']);
  });

  it('is one of some values, else the first', () => {
    expect(through(oneOf('a', ['x', 'y']), 'a=y')).toEqual(['y', 'a=y']);
    expect(through(oneOf('a', ['x', 'y']), 'a=z')).toEqual(['x', '']);
  });

  it('may be missing or invalid', () => {
    expect(through(nameOrNull('a'), '')).toEqual([null, '']);
    expect(through(nameOrNull('a'), 'a=')).toEqual(['', 'a=']);
    expect(through(optional('a', readNumber, String), 'a=1e3')).toEqual([1_000, 'a=1000']);
    expect(through(optional('a', readNumber, String), 'a=x')).toEqual([null, '']);
  });
});

describe('a parameter for each item', () => {
  it('keeps the order, and each name once', () => {
    expect(through(names('a'), 'a=y&a=x&a=y')).toEqual([['y', 'x'], 'a=y&a=x']);
    expect(through(names('a', 2), 'a=1&a=2&a=3')).toEqual([['1', '2'], 'a=1&a=2']);
  });

  it('is always the same list if there is none', () => {
    const field = repeated('a', (texts) => texts.flatMap((one) => readNumber(one) ?? []), String);
    expect(field.read(new URLSearchParams('a=x'))).toBe(field.plain);
  });

  it('distinguishes no choice from no name', () => {
    expect(through(namesOrNull('a'), '')).toEqual([null, '']);
    expect(through(namesOrNull('a'), 'a=')).toEqual([[], 'a=']);
    expect(through(namesOrNull('a'), 'a=x&a=')).toEqual([['x'], 'a=x']);
  });
});

it('reads finite numbers and JSON lists', () => {
  expect(['1', '-2.5', '', ' ', 'x', 'Infinity', null].map(readNumber)).toEqual([1, -2.5, null, null, null, null, null]);
  expect(['[1,"a"]', '{}', '[', ''].map(readList)).toEqual([[1, 'a'], [], [], []]);
});
