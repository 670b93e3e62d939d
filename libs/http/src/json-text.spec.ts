import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Problem } from '#model';
import { parseJsonText } from './json-text.ts';

const bounds = { maxValues: 1_000, maxFields: 500, maxWideNumbers: 100, maxNesting: 8 };
const read = (text: string): unknown => parseJsonText(text, bounds);
const codeOf = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'read';
};

it('parses like JSON.parse, whatever the strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }), (value) => {
      const text = JSON.stringify(value);
      if (text.length > 900) return; // beyond the limits
      expect(read(text)).toEqual(JSON.parse(text, wideAsText));
      expect(read(JSON.stringify(value, null, 2))).toEqual(JSON.parse(text, wideAsText));
    }),
  );
});

/** Bodies as parsed with a reviver, number by number. */
function wideAsText(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?[0-9]+$/.test(source) ? source : value;
}

it('keeps integers beyond float64 as digits, and no other numbers', () => {
  expect(read('[9007199254740993, -9223372036854775808 ,9007199254740991,1e400,12345678901234567890.5,0]')).toEqual([
    '9007199254740993',
    '-9223372036854775808',
    9007199254740991,
    Infinity,
    12345678901234567168,
    0,
  ]);
  expect(read('{"a":18446744073709551615}')).toEqual({ a: '18446744073709551615' });
  expect(read(' 18446744073709551615 ')).toBe('18446744073709551615');
  expect(read('["18446744073709551615", "\\"18446744073709551615"]')).toEqual(['18446744073709551615', '"18446744073709551615']);
});

it.each([
  '{18446744073709551615:1}',
  '{18446744073709551615 :1}',
  '[018446744073709551615]',
  '[+18446744073709551615]',
  '[1 18446744073709551615]',
  '["a"18446744073709551615]',
  '[18446744073709551615"a"]',
  '[--18446744073709551615]',
  '["18446744073709551615]',
  '[',
  '',
  '"\\',
])('rejects %s, which is not JSON', (text) => {
  expect(codeOf(text)).toBe('bad-request');
});

it('rejects too many values or levels before it builds them', () => {
  expect(codeOf(`[${'1,'.repeat(998)}1]`)).toBe('read');
  expect(codeOf(`[${'1,'.repeat(1_000)}1]`)).toBe('body-too-large');
  expect(codeOf(`[${'[],'.repeat(600)}[]]`)).toBe('body-too-large');
  expect(codeOf(`{${'"a":1,'.repeat(1_000)}"b":1}`)).toBe('body-too-large');
  expect(codeOf(`{${'"a":1,'.repeat(499)}"b":1}`)).toBe('read');
  expect(codeOf(`{${'"a":1,'.repeat(500)}"b":1}`)).toBe('body-too-large');
  expect(codeOf(`[${'18446744073709551615,'.repeat(99)}18446744073709551615]`)).toBe('read');
  expect(codeOf(`[${'18446744073709551615,'.repeat(100)}18446744073709551615]`)).toBe('body-too-large');
  expect(codeOf(`["${',['.repeat(5_000)}"]`)).toBe('read');
  expect(codeOf('['.repeat(9) + ']'.repeat(9))).toBe('bad-request');
  expect(codeOf('['.repeat(8) + ']'.repeat(8))).toBe('read');
});
