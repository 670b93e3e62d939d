import { expect, test } from 'vitest';
import { expensiveSteps, readPlans, summary } from './plans.ts';

const plan = (node: object): string => {
  const written = JSON.stringify({ 'Query Text': '\n select 1', Plan: node }, null, 2);
  return `2026-11-24 12:00:00 UTC [7] LOG:  duration: 0.1 ms  plan:\n${written.replaceAll(/^/gm, '\t')}\n`;
};
const node = (way: string, rows: number, more: object = {}) => ({ 'Node Type': way, 'Actual Rows': rows, 'Actual Loops': 1, ...more });
const scan = (way: string, rows: number, more: object = {}) => node(way, rows, { 'Relation Name': 'pending_segment', ...more });

test('plans are found among other log lines, with the rows of all loops of a step', () => {
  const log = `2026-11-24 12:00:00 UTC [7] LOG:  checkpoint starting\n${plan(node('Limit', 2, { Plans: [scan('Index Scan', 2, { 'Actual Loops': 5 })] }))}`;
  expect(readPlans(log + plan(node('Result', 1)))).toEqual([
    {
      query: 'select 1',
      steps: [
        { way: 'Limit', table: null, rows: 2 },
        { way: 'Index Scan', table: 'pending_segment', rows: 10 },
      ],
    },
    { query: 'select 1', steps: [{ way: 'Result', table: null, rows: 1 }] },
  ]);
});

test('a scan without an index, a large sort and many filtered rows are found', () => {
  const expensive = (root: object): number => expensiveSteps(readPlans(plan(root)), 'pending_segment', 100);
  expect(expensive(node('Sort', 100, { Plans: [scan('Index Only Scan', 100)] }))).toBe(0);
  expect(expensive(scan('Seq Scan', 1))).toBe(1);
  expect(expensive(node('Sort', 101, { Plans: [scan('Index Scan', 101)] }))).toBe(2);
  expect(expensive(scan('Index Scan', 1, { 'Rows Removed by Filter': 100 }))).toBe(1);
  expect(expensive({ ...node('Seq Scan', 50), 'Relation Name': 'run_work' })).toBe(0);
});

test('a log without plans throws', () => {
  expect(() => expensiveSteps(readPlans('LOG:  nothing\n'), 'pending_segment', 100)).toThrow('no plan');
});

test('the summary lists the scan types and the maximum number of rows', () => {
  const plans = readPlans(plan(scan('Index Scan', 3)) + plan(scan('Index Only Scan', 7)));
  expect(summary(plans, 'pending_segment')).toBe('2 plans; pending_segment: Index Scan, Index Only Scan; at most 7 rows per step');
});
