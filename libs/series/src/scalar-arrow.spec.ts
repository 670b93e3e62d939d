import { tableFromIPC } from 'apache-arrow';
import { expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { type Buckets, pointsAsBuckets } from './bucket-columns.ts';
import { scalarsArrow } from './scalar-arrow.ts';
import { scalarsCsv } from './scalar-csv.ts';
import type { ScalarResult, SeriesResult } from './scalar-result.ts';

function pointsOf(length: number, scale: number): PointColumns {
  const indexes = Array.from({ length }, (_, i) => i);
  return {
    steps: BigInt64Array.from(indexes, BigInt),
    wallTimes: Float64Array.from(indexes, (i) => 1_700_000_000 + i),
    values: Float64Array.from(indexes, (i) => i * scale),
  };
}

function bucketsOf(length: number): Buckets {
  const buckets = pointsAsBuckets(pointsOf(length, 3));
  return { ...buckets, last: buckets.last.map((value) => value + 1), min: buckets.min.map((value) => value - 1) };
}

const responseOf = (...series: Partial<SeriesResult>[]): ScalarResult =>
  ({
    frontier: { epoch: 1 },
    severalWriters: false,
    nextPageToken: null,
    series: series.map((one, i) => ({ run: `run ${i}`, tag: 'loss', writer: 0, sampling: 'minmax', exact: true, sourcePoints: 1, ...one })),
  }) as unknown as ScalarResult;

it.each([
  ['raw points beside buckets', [{ content: { points: pointsOf(7, 2) } }, { content: { buckets: bucketsOf(5) } }]],
  ['buckets whose columns are one array', [{ content: { buckets: pointsAsBuckets(pointsOf(1000, 0.5)) } }]],
  ['one point beside many buckets', [{ content: { points: pointsOf(1, 2) } }, { content: { buckets: bucketsOf(1000) } }]],
  [
    'a series that is not smoothed beside one that is',
    [
      { content: { buckets: bucketsOf(9) }, smoothed: { first: new Float64Array(9).fill(1), last: new Float64Array(9).fill(2) } },
      { content: { buckets: bucketsOf(6) } },
    ],
  ],
  [
    'values and times of one buffer',
    [{ content: { points: { ...pointsOf(4, 2), wallTimes: sharing().times, values: sharing().values } } }],
  ],
] as [string, Partial<SeriesResult>[]][])('has the cells of the CSV for %s', async (_name, series) => {
  const response = responseOf(...series);
  const [head, ...lines] = Buffer.concat(await scalarsCsv(response, null))
    .toString()
    .trimEnd()
    .split('\r\n');
  const table = tableFromIPC(Buffer.concat(await scalarsArrow(response, null)));
  expect(table.numRows).toBe(lines.length);
  for (const [at, name] of head!.split(',').entries()) {
    const cells = lines.map((line) => line.split(',')[at]!);
    const column = Array.from({ length: table.numRows }, (_, row) => table.getChild(name)!.get(row) as unknown);
    if (name === 'run' || name === 'tag') expect(column, name).toEqual(cells);
    else expect(column.map(Number), name).toEqual(cells.map(numberOf));
  }
});

/** Times and values that share one buffer and overlap, as parts of a decoded chunk can. */
function sharing(): { times: Float64Array; values: Float64Array } {
  const all = Float64Array.of(5, 6, 7, 8, 9, 10);
  return { times: all.subarray(0, 4), values: all.subarray(2) };
}

function numberOf(cell: string): number {
  return cell === '' || cell === 'nan' ? Number.NaN : Number(cell);
}
