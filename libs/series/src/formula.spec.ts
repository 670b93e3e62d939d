import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Formula, maxFormulaLength } from './formula.ts';

const of = (text: string, values: Readonly<Record<string, number>> = {}): number => {
  const formula = Formula.parse(text);
  return formula.evaluate(formula.tags.map((tag) => Float64Array.of(values[tag] ?? Number.NaN)))[0]!;
};

describe('a formula', () => {
  it.each([
    ['val/loss - train/loss', { 'val/loss': 3, 'train/loss': 1 }, 2],
    ['a-b', { 'a-b': 7 }, 7],
    ['a/b/c_1.x:y', { 'a/b/c_1.x:y': 7 }, 7],
    ['a / b', { a: 6, b: 4 }, 1.5],
    ['"a b" * 2', { 'a b': 4 }, 8],
    ['"quote \\" and \\\\"', { 'quote " and \\': 5 }, 5],
    ['-a ^ 2', { a: 3 }, -9],
    ['(-a) ^ 2', { a: 3 }, 9],
    ['2 ^ 3 ^ a', { a: 2 }, 512],
    ['a - 1 - 1', { a: 3 }, 1],
    ['8 / a / 2', { a: 2 }, 2],
    ['1 + a * 2', { a: 3 }, 7],
    ['log(a)', { a: Math.E }, 1],
    ['log10(a)', { a: 100 }, 2],
    ['log2(a)', { a: 8 }, 3],
    ['sqrt(abs(a)) + exp(0)', { a: -9 }, 4],
    ['min(a, b, 2) + max(a, b)', { a: 5, b: 3 }, 7],
    ['log', { log: 4 }, 4],
    ['prüfung/verlust', { 'prüfung/verlust': 2 }, 2],
    ['.5 * a + 1e-3', { a: 2 }, 1.001],
    ['1 / a', { a: 0 }, Infinity],
    ['log(a)', { a: -1 }, Number.NaN],
  ])('%s', (text, values, expected) => {
    expect(of(text, values)).toBe(expected);
  });

  it.each([
    ['', 'ends where'],
    ['1 + 2', 'names no tag'],
    ['a +', 'ends where a tag'],
    ['a b', 'has “b” at character 3'],
    ['(a', 'ends where “)”'],
    ['a)', 'has “)” at character 2'],
    ['eval(a)', 'unknown function at character 1'],
    ['constructor(a)', 'unknown function'],
    ['log(a, b)', 'more than one value'],
    ['"a', 'cannot be read at character 1'],
    ['a ; b', 'cannot be read at character 3'],
    ['a + b + c + d + e + f + g + h + i', 'more than 8 tags'],
    ['a + 1'.repeat(200), 'more than 500 characters'],
    ['('.repeat(40) + 'a' + ')'.repeat(40), 'nested more than 32'],
    ['-'.repeat(60) + 'a', 'nested more than 32'],
    [`a${'^a'.repeat(60)}`, 'nested more than 32'],
    [`a${'+1'.repeat(120)}`, 'more than 100 parts'],
  ])('%s is none', (text, why) => {
    expect(() => Formula.parse(text)).toThrow(expect.objectContaining({ code: 'bad-request', message: expect.stringContaining(why) }));
  });

  it('computes whole columns', () => {
    const formula = Formula.parse('b - a + 1');
    expect(formula.tags).toEqual(['b', 'a']);
    expect([...formula.evaluate([Float64Array.of(1, 2, Number.NaN), Float64Array.of(3, 0, 1)])]).toEqual([-1, 3, Number.NaN]);
    expect([...Formula.parse('a * 0 + 4').evaluate([Float64Array.of(1, 2)])]).toEqual([4, 4]);
  });

  it('parses any text quickly, to a formula or an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 600 }),
          fc
            .array(fc.constantFrom('a', ' ', '-', '(', ')', '"', '\\', '^', '1', '.', 'log(', ','), { maxLength: 300 })
            .map((all) => all.join('')),
        ),
        (text) => {
          try {
            const formula = Formula.parse(text);
            expect(formula.evaluate(formula.tags.map(() => Float64Array.of(1, 2)))).toHaveLength(2);
          } catch (error) {
            expect(error).toMatchObject({ code: 'bad-request' });
          }
        },
      ),
    );
    expect(maxFormulaLength).toBe(500);
  });
});
