import { expect, test } from 'vitest';
import { exitCodeOf, met, type Report, type Row, toJson, toTable } from './report.ts';

const row = (fields: Partial<Row>): Row => ({ measure: 'm', value: 1, unit: 's', ...fields });

test('a row has a verdict only if it has a number and a bound', () => {
  expect(met(row({ value: 2.5, atMost: 2.5 }))).toBe(true);
  expect(met(row({ value: 2.6, atMost: 2.5 }))).toBe(false);
  expect(met(row({ value: 99, atLeast: 100 }))).toBe(false);
  expect(met(row({ value: null, atLeast: 100 }))).toBeNull();
  expect(met(row({}))).toBeNull();
});

test('table and JSON have the same verdicts', () => {
  const report = {
    bench: 'b',
    parameters: { points: 2_000_000 },
    rows: [row({ value: 3, atMost: 2.5 }), row({ value: 12_345.678, atLeast: 100 })],
    samples: {},
  };
  const [, , missed, kept] = toTable(report).split('\n');
  expect(missed).toMatch(/^m +3 +s +<= 2.5 +MISSED$/);
  expect(kept).toMatch(/^m +12,346 +s +>= 100 +ok$/);
  const document = JSON.parse(toJson(report)) as { rows: { met: boolean }[] };
  expect(document.rows.map((one) => one.met)).toEqual([false, true]);
});

test('--check fails if a bound is missed, and only then', () => {
  const report = (...rows: Row[]): Report => ({ bench: 'b', parameters: {}, rows, samples: {} });
  const [kept, missed, boundless] = [row({ value: 2, atMost: 2 }), row({ value: 3, atMost: 2 }), row({})];
  expect(exitCodeOf(report(kept, missed, boundless), true)).toBe(1);
  expect(exitCodeOf(report(kept, boundless), true)).toBe(0);
  expect(exitCodeOf(report(kept, missed), false)).toBe(0);
});
