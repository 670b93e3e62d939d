/**
 * Reads the few chunks with non-finite values, using their separate index
 * (`scalar_chunk_not_finite`).
 */
import { pauseIfLong } from '#admission';
import type { SeriesId } from '#model';
import { arrayParameter, parameter, queryText, readBytes, type Statement } from '../../text-result.ts';
import type { Snapshot } from '../../scope.ts';
import { notFinite } from './list-scalar-series.ts';

/** A series' effective points in a step range, including both ends. */
export interface NotFiniteRange {
  readonly seriesId: SeriesId;
  readonly from: bigint;
  readonly to: bigint;
}

/** An effective chunk that contains NaN or an infinity. */
export interface NotFiniteChunk {
  /** Index of the request. */
  readonly request: number;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
  readonly points: number;
  readonly nanCount: number;
  /** Whether the chunk contains infinities. Only its points show how many. */
  readonly infinite: boolean;
}

const found: Statement = {
  name: 'list-not-finite-chunks',
  text: `
select q.no, c.first_step, c.last_step, c.count, c.nan_count, c.infinite
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')})) with ordinality q(series_id, from_step, to_step, no),
lateral (
  select c.first_step, c.last_step, c.count, c.nan_count, coalesce(c.max_value = 'Infinity' or c.min_value = '-Infinity', false) as infinite
  from scalar_chunk c
  where c.tenant_id = $1 and c.series_id = q.series_id and ${notFinite}
    and c.first_step <= q.to_step and c.last_step >= q.from_step
  offset 0
) c
order by q.no, c.first_step`,
};

const bodies: Statement = {
  name: 'read-not-finite-bodies',
  text: `
select q.no, c.body
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')})) with ordinality q(series_id, first_step, no)
join scalar_chunk c on c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded and c.first_step = q.first_step
order by q.no`,
};

/** The chunks with non-finite values that overlap the ranges, ordered by request and step. */
export async function listNotFiniteChunks({ client, tenantId }: Snapshot, ranges: readonly NotFiniteRange[]): Promise<NotFiniteChunk[]> {
  if (ranges.length === 0) return [];
  const rows = await queryText(client, found, [
    tenantId,
    arrayParameter(ranges.map(({ seriesId }) => seriesId)),
    arrayParameter(ranges.map(({ from }) => from)),
    arrayParameter(ranges.map(({ to }) => to)),
  ]);
  return rows.map(([no, firstStep, lastStep, points, nanCount, infinite]) => ({
    request: Number(no) - 1,
    firstStep: BigInt(firstStep!),
    lastStep: BigInt(lastStep!),
    points: Number(points),
    nanCount: Number(nanCount),
    infinite: infinite === 't',
  }));
}

/** The undecoded points of effective chunks, in the order of the list. */
export async function readNotFiniteBodies(
  { client, tenantId }: Snapshot,
  chunks: readonly { readonly seriesId: SeriesId; readonly firstStep: bigint }[],
): Promise<Buffer[]> {
  const rows = await queryText(client, bodies, [
    tenantId,
    arrayParameter(chunks.map(({ seriesId }) => seriesId)),
    arrayParameter(chunks.map(({ firstStep }) => firstStep)),
  ]);
  const read: Buffer[] = [];
  for (const [, body] of rows) {
    const pause = pauseIfLong();
    if (pause) await pause;
    read.push(readBytes(body!));
  }
  return read;
}
