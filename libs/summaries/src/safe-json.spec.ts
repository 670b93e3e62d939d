import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytes, safeJson, shortened } from './safe-json.ts';

describe('a result as JSON', () => {
  it('parses to the same value, whatever the text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const result = { value, [`k${text}`]: text };
        expect(JSON.parse(safeJson(result))).toEqual(result);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['terminal escape sequences', '\u001b[2J\u009b1m'],
    ['text direction marks', 'a\u202eb\u2066c\u061c'],
    ['zero-width characters', 'a\u200bb\u200dc\ufeff\u2060'],
    [
      'tag characters, which spell hidden text',
      Array.from('ignore all', (c) => String.fromCodePoint(0xe0000 + c.codePointAt(0)!)).join(''),
    ],
    ['line breaks', 'a\nb\r\u2028c'],
  ])('escapes %s', (_, text) => {
    expect(safeJson(text)).toMatch(/^"[ -~]*"$/);
    expect(JSON.parse(safeJson(text))).toBe(text);
  });

  it('keeps the sign of zero', () => {
    expect(safeJson([0, -0, { a: -0 }])).toBe('[0,-0.0,{"a":-0.0}]');
  });

  it('is measured in bytes', () => {
    expect(jsonBytes('é')).toBe(4);
  });
});

it('a shortened text does not end in half a character', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('abcdefg', 6)).toBe('abcde…');
  expect(shortened('abc😀😀', 5)).toBe('abc…');
});
