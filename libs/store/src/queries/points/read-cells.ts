/**
 * Reads the cells (64 or 512 points each) of a series' chunks, unchanged. This is the cheapest way
 * if a bucket rarely has more than one cell. The reader joins a bucket's cells, as it does its
 * chunks or rollup rows (ADR 18).
 */
import { pauseIfLong } from '#admission';
import type { SeriesId } from '#model';
import { decodeCells } from '../../cell-records.ts';
import { arrayParameter, parameter, queryText, readBytes, type Statement } from '../../text-result.ts';
import { type BucketPieces, wholeChunks } from './downsample-scalars.ts';
import { cellColumns } from './chunk-columns.ts';
import type { Snapshot } from '../../scope.ts';

/**
 * Selects the cells to read from a series: the cells of effective chunks that are completely in the
 * range, including both ends.
 */
export interface CellRange {
  readonly seriesId: SeriesId;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Steps up to this distance from 0, and all their differences, are exact as numbers, so cells can
 * be read at these steps.
 */
export const largestCellStep = 2n ** 52n;

/**
 * For each series, each cell as a piece, chunk by chunk. Null if no chunk is in its range. The
 * steps of these chunks must be at most {@link largestCellStep} from 0.
 */
export async function readCells(
  { client, tenantId }: Snapshot,
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
    const pause = pauseIfLong();
    if (pause) await pause;
    found[Number(no) - 1] = decodeCells(readBytes(records), cellPoints, Number(cells));
  }
  return found;
}

/**
 * Returns one value for all of a series' chunks. Transferring one row per chunk would cost ten
 * times as much.
 */
const statementFor = (cellPoints: 64 | 512): Statement => ({
  name: `read-cells-${cellPoints}`,
  text: `
select q.no, p.* from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')})) with ordinality q(series_id, from_step, to_step, no),
lateral (
  select sum((x.count + ${cellPoints - 1}) / ${cellPoints}), string_agg(record_send(x), ''::bytea)
  from (
    select c.first_step, c.stride, c.count, ${cellColumns.map((name) => `c.c${cellPoints}_${name}`).join(', ')}
    from scalar_chunk c
    where ${wholeChunks('q.from_step', 'q.to_step')}
    offset 0
  ) x
) p`,
});

const statements = { 64: statementFor(64), 512: statementFor(512) };
