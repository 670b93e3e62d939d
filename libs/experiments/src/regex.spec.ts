import { expect, it } from 'vitest';
import { toPostgresRegex } from './regex.ts';

it.each([
  ['^run[0-9]+$', '^run[0-9]+$'],
  ['a|b|(c|d)?', 'a|b|(?:c|d)?'],
  ['\\d{2,4}-\\w*?', '\\d{2,4}-\\w*?'],
  ['\\bfoo\\b', '\\yfoo\\y'],
  ['(?i)Lr', '(?i)Lr'],
  ['a\\.b\\/c', 'a\\.b\\/c'],
  ['[^\\]a[]', '[^\\]a\\[]'],
  ['{x}', '\\{x\\}'],
  ['héé😀+', 'héé😀+'],
  ['(?:a{2}){3}', '(?:a{2}){3}'],
  ['[0-9a-f]{64}', '[0-9a-f]{64}'],
  ['.{0,32}', '.{0,32}'],
  ['.*loss.*train.*', '.*loss.*train.*'],
  ['(?:a*b?c){10}', '(?:a*b?c){10}'],
  ['(x+x+)+y', '(?:x+x+)+y'],
  ['a'.repeat(200), 'a'.repeat(200)],
])('accepts %s', (pattern, expected) => {
  expect(toPostgresRegex(pattern)).toBe(expected);
});

it.each([
  ['(a)\\1', /not supported/],
  ['(?=a)', /plain groups/],
  ['(?<!a)b', /plain groups/],
  ['(?<n>a)', /plain groups/],
  ['a(?i)b', /plain groups/],
  ['*a', /nothing/],
  ['***=a', /nothing/],
  ['a**', /nothing/],
  ['(*a)', /nothing/],
  ['a|*', /nothing/],
  ['(a', /not closed/],
  ['a)', /no opening/],
  ['[a', /not closed/],
  ['[]', /empty/],
  ['\\', /backslash/],
  ['\\A', /not supported/],
  ['[\\b]', /not supported/],
  ['a{256}', /255/],
  ['a{3,2}', /greater than its maximum/],
  ['((a{100}){20})', /longer than/],
  ['((((a{10}){10}){10}){10})', /longer than/],
  ['a{100}b{101}', /longer than/],
  ['(a?b?){17}c', /optional parts/],
  ['(a*b*){17}c', /optional parts/],
  ['.{0,33}', /optional parts/],
  ['a?'.repeat(33), /optional parts/],
  ['(((a?)?)?){11}', /optional parts/],
  ['(|a){33}', /optional parts/],
  ['(a|){33}', /optional parts/],
  ['(\\b|a){33}', /optional parts/],
  ['(^|$|a){17}', /optional parts/],
  ['((){100}){100}', /optional parts/],
  ['(x|y{99}|z{101})', /longer than/],
  ['a'.repeat(201), /more than 200/],
  ['\\x41', /not supported/],
])('rejects %s', (pattern, why) => {
  expect(() => toPostgresRegex(pattern)).toThrow(why);
});
