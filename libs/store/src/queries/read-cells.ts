/**
 * The cells of a series' chunks, of 64 or 512 points each, as they were stored: what is cheapest where a bucket has hardly more than one of them. The reader
 * joins them, as it joins the chunks or the rows of rollups of a bucket.
 */
import type pg from 'pg';
import { decodeCells } from '../cell-records.ts';
import { arrayParameter, parameter, queryText, readBytes, type Statement } from '../text-result.ts';
import type { BucketPieces } from './downsample-scalars.ts';
import { wideChunk } from './list-scalar-series.ts';

/** A series whose cells are read: those of effective chunks that lie wholly in the range, both steps included. */
export interface CellRange {
  readonly seriesId: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** Each cell as a piece, chunk by chunk, for each series; null where no chunk lies in its range. Steps are numbers where all of the range are exact as such. */
export async function readCells(
  client: pg.ClientBase,
  tenantId: string,
  cellPoints: 64 | 512,
  series: readonly CellRange[],
): Promise<(BucketPieces | null)[]> {
  const rows = await queryText(client, statements[cellPoints], [
    tenantId,
    arrayParameter(series.map((one) => one.seriesId)),
    arrayParameter(series.map((one) => one.from)),
    arrayParameter(series.map((one) => one.to)),
  ]);
  const found: (BucketPieces | null)[] = new Array<BucketPieces | null>(series.length).fill(null);
  for (const [no, cells, records] of rows) {
    if (!records) continue;
    const index = Number(no) - 1;
    const { from, to } = series[index]!;
    const narrow = from >= -exact && to <= exact;
    found[index] = decodeCells(readBytes(records), cellPoints, Number(cells), narrow);
  }
  return found;
}

/** Steps up to here, and their differences, are exact as numbers. */
const exact = 2n ** 52n;

/** In the order that {@link decodeCells} reads. */
const arrays = [
  'first_step',
  'last_step',
  'min_step',
  'max_step',
  'min_at',
  'max_at',
  'first',
  'first8',
  'last',
  'last8',
  'min',
  'min8',
  'max',
  'max8',
  'wall',
];

/** One value for all chunks of a series: a row each would cost ten times as much on its way to the reader. */
const statementFor = (cellPoints: 64 | 512): Statement => ({
  name: `read-cells-${cellPoints}`,
  text: `
select q.no, p.* from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')})) with ordinality q(series_id, from_step, to_step, no),
lateral (
  select sum((x.count + ${cellPoints - 1}) / ${cellPoints}), string_agg(record_send(x), ''::bytea)
  from (
    select c.first_step, c.stride, c.count, ${arrays.map((name) => `c.c${cellPoints}_${name}`).join(', ')}
    from scalar_chunk c
    where c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded
      and c.first_step >= q.from_step and c.first_step <= q.to_step and c.last_step <= q.to_step and not (${wideChunk})
    offset 0
  ) x
) p`,
});

const statements = { 64: statementFor(64), 512: statementFor(512) };
