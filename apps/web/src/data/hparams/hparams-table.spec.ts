import { describe, expect, it } from 'vitest';
import { listedRun } from '../../api/testing/listed.ts';
import { differing, metricTexts, numericColumns, sortRows, trialsOf } from './hparams-table.ts';

const run = (name: string, hparams: Record<string, string | number | boolean> = {}) => listedRun(name, { status: 'success', hparams });
const stats = (name: string, tag: string, last: number | null) => ({ run: name, tag, last, min: last, max: last, points: 1 });

const { columns, rows } = trialsOf(
  [run('a', { lr: 0.1, opt: 'sgd' }), run('a/val'), run('b', { lr: 0.01, opt: 'sgd' }), run('c', { lr: 0.5 }), run('other')],
  [stats('a', 'loss', 3), stats('a/val', 'acc', 0.9), stats('b/val', 'acc', 0.7), stats('other', 'loss', 1), stats('b', 'loss', null)],
);

describe('the hyperparameter table', () => {
  it('has a row per trial, with the metrics of its nested runs', () => {
    expect(rows.map(({ run: name, cells }) => [name, ...cells.values()])).toEqual([
      ['a', 0.1, 'sgd', 3, 0.9],
      ['b', 0.01, 'sgd', 0.7],
      ['c', 0.5],
    ]);
    expect(columns.map(({ name }) => name)).toEqual(['lr', 'opt', 'loss', 'val/acc']);
  });

  it('sorts by value, missing ones last in both directions', () => {
    const order = (sort: string) => sortRows(rows, sort).map(({ run: name }) => name);
    expect([order('h:lr'), order('-h:lr'), order('m:val/acc'), order('-m:val/acc')]).toEqual([
      ['b', 'a', 'c'],
      ['c', 'a', 'b'],
      ['b', 'a', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('sorts values that are not finite last in both directions, also as texts', () => {
    const logged = { a: 'NaN', b: 0.1, c: 'Infinity', d: 0.5, e: 'auto', f: '-Infinity' };
    const odd = trialsOf(
      [...Object.entries(logged).map(([name, lr]) => run(name, { lr })), run('g', { other: 1 })],
      Object.keys(logged).map((name, i) => ({ ...stats(name, 'loss', null), last: [3, 'NaN', 1, 'Infinity', 2, '-Infinity'][i]! })),
    );
    const order = (sort: string) =>
      sortRows(odd.rows, sort)
        .map(({ run: name }) => name)
        .join('');
    expect([order('h:lr'), order('-h:lr')]).toEqual(['bdecfag', 'edbcfag']);
    expect([order('m:loss'), order('-m:loss')]).toEqual(['ceadfbg', 'aecdfbg']);
  });

  it('shows metrics with the digits in which they differ', () => {
    const near = trialsOf([run('a', { lr: 1 }), run('b', { lr: 2 })], [stats('a', 'loss', 0.5), stats('b', 'loss', 0.5000001)]);
    expect([...metricTexts('m:loss', near.rows)]).toEqual([
      [0.5, '0.5'],
      [0.5000001, '0.5000001'],
    ]);
  });

  it('detects numeric columns', () => {
    expect([...numericColumns(columns, rows)]).toEqual(['h:lr', 'm:loss', 'm:val/acc']);
  });

  it('can show only columns that differ', () => {
    const two = rows.slice(0, 2);
    expect(differing(columns, two).map(({ name }) => name)).toEqual(['lr', 'loss', 'val/acc']);
  });
});
