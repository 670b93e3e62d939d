import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { tenantIdOf } from '#model/testing';
import { experimentFields, type Filter, runFields } from '#store';
import { parseFilter } from './filter.ts';

const fields = runFields(tenantIdOf('00000000-0000-0000-0000-000000000000'), [], null);
const parse = (text: string) => parseFilter(text, fields);
/** Short form: (field op value), with & | !. */
const show = (filter: Filter | null): string => {
  if (!filter) return '';
  if (filter.kind === 'not') return `!${show(filter.term)}`;
  if (filter.kind !== 'compare') return `(${filter.terms.map(show).join(filter.kind === 'and' ? ' & ' : ' | ')})`;
  const { argument, second } = filter;
  return `[${filter.field}${argument === null ? '' : `(${argument}${second === undefined ? '' : `; ${second}`})`} ${filter.operator} ${typeof filter.value === 'string' ? JSON.stringify(filter.value) : filter.value}]`;
};

describe('parseFilter', () => {
  it.each([
    ['last("val/acc") >= 0.9 AND hparam("lr") < 0.01', '([last(val/acc) >= 0.9] & [hparam(lr) < 0.01])'],
    ['name = "a" OR name = "b" AND status = success', '([name = "a"] | ([name = "b"] & [status = "success"]))'],
    ['(name = a or name = b) and not status = failure', '(([name = "a"] | [name = "b"]) & ![status = "failure"])'],
    ['NOT NOT (min(loss) < -1e-3)', '!![min(loss) < -0.001]'],
    ['resnet', '[name : "resnet"]'],
    ['resnet train/seed-1 50', '([name : "resnet"] & [name : "train/seed-1"] & [name : "50"])'],
    ["\"two words\" || 'it\\'s'", '([name : "two words"] | [name : "it\'s"])'],
    ['hparam("opt") != "adam" && hparam("nesterov") = true', '([hparam(opt) != "adam"] & [hparam(nesterov) = true])'],
    ['hparam("0.01") = "0.01"', '[hparam(0.01) = "0.01"]'],
    [
      'max("x") = NaN OR max("x") > -Infinity OR max("x") < +inf OR last(x) == inf',
      '([max(x) = NaN] | [max(x) > -Infinity] | [max(x) < Infinity] | [last(x) = Infinity])',
    ],
    ['name ~ "^run[0-9]+\\b"', '[name ~ "^run[0-9]+\\\\y"]'],
    ['name !~ "x" status:succ', '([name !~ "x"] & [status : "succ"])'],
    ['name = 50', '[name = "50"]'],
    ['last("a\\"b\\\\c")>1', '[last(a"b\\c) > 1]'],
    [
      'value_at("a,b", +0100) > 1 step_at(loss,-9223372036854775808) = 3',
      '([value_at(a,b; 100) > 1] & [step_at(loss; -9223372036854775808) = 3])',
    ],
    ['value_at_min("acc", "val, loss") > 1', '[value_at_min(acc; val, loss) > 1]'],
    ['  ', ''],
  ])('parses %s', (text, expected) => {
    expect(show(parse(text))).toBe(expected);
  });

  it.each([
    ['name =', 7],
    ['= 3', 1],
    ['(name = a', 10],
    ['name = a)', 9],
    ['last > 1', 6],
    ['last() > 1', 6],
    ['nmae = a', 1],
    ['name < a', 6],
    ['last("x") = "high"', 13],
    ['name = "open', 8],
    ['last("x") ~ "a"', 11],
    ['AND', 1],
    ['name = a OR', 12],
    ['name = "\0"', 8],
    ['a ; b', 3],
    ['a, b', 2],
    ['value_at("x") > 1', 13],
    ['value_at("x", 1.5) > 1', 15],
    ['value_at("x", 9223372036854775808) > 1', 15],
    ['value_at("x", "y") > 1', 15],
    ['value_at_min("x", 3) > 1', 19],
    ['value_at("x", 3, 4) > 1', 16],
    ['last("x", 3) > 1', 9],
    ['hparam("x") < true', 15],
    ['1 AND AND 2', 7],
  ])('reports the position of the error in %s', (text, position) => {
    let problem: unknown;
    try {
      parse(text);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(Problem);
    expect((problem as Problem).code).toBe('invalid-filter');
    expect((problem as Problem).extra.position).toBe(position);
  });

  it('lists the known fields', () => {
    expect(() => parse('learning_rate < 1')).toThrow(/hparam\("…"\)/);
    expect(() => parseFilter('hparam("lr") < 1', experimentFields)).toThrow(
      /fields are id, name, description, owner, label, archived, created, updated/,
    );
    expect(() => parse('constructor = 1')).toThrow(/no field "constructor"/);
  });

  it('parses times of experiments', () => {
    const experiments = (text: string) => show(parseFilter(text, experimentFields));
    expect(experiments('created >= "2026-11-21" label = base')).toBe('([created >= 1795219200] & [label = "base"])');
    expect(experiments('created < 1795219200.5')).toBe('[created < 1795219200.5]');
    expect(() => experiments('created < yesterday')).toThrow(/expected a time/);
  });

  it('bounds nesting, comparisons and length', () => {
    expect(() => parse('('.repeat(40) + 'a' + ')'.repeat(40))).toThrow(/nested/);
    expect(() => parse('NOT '.repeat(1000) + 'a')).toThrow(/nested/);
    expect(() => parse(Array.from({ length: 65 }, () => 'a').join(' '))).toThrow(/more than 64/);
    expect(() => parse('a'.repeat(5000))).toThrow(/up to 4096/);
  });

  it('gives a filter or a problem for any text', () => {
    const word = fc.constantFrom(
      'name',
      'last',
      '(',
      ')',
      '"x"',
      '=',
      '<',
      '~',
      'AND',
      'OR',
      'NOT',
      '1',
      '-',
      '"',
      "'",
      '\\',
      ' ',
      'hparam("a")',
      ':',
      '!',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
          fc.string({ unit: 'binary', maxLength: 60 }),
        ),
        (text) => {
          try {
            parse(text);
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== 'invalid-filter') throw error;
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
