import type pg from 'pg';
import { arrayParameter, binaryQuery, readId, readInt8 } from '../binary-result.ts';
import { overlaps, wideChunk } from './list-scalar-series.ts';

/** Effective points of which series and steps (both ends inclusive) are wanted. */
export interface BodyRequest {
  readonly seriesId: string;
  readonly from: bigint;
  readonly to: bigint;
  /** Only the chunks that the rollup queries leave out: cut by an end of the range, or too wide. */
  readonly cutOnly: boolean;
}

/** A chunk with its undecoded points. */
export interface StoredBody {
  /** Index of the request. */
  readonly request: number;
  readonly fileId: string;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
  readonly count: number;
  readonly body: Buffer;
}

const statement = {
  name: 'read-chunk-bodies',
  text: `
select q.no, p.file_id, p.first_step, p.last_step, p.count, p.body
from rows from (unnest($2::int8[]), unnest($3::int8[]), unnest($4::int8[]), unnest($5::boolean[])) with ordinality q(series_id, from_step, to_step, cut_only, no),
lateral (
  select c.file_id, c.first_step, c.last_step, c.count, c.body
  from scalar_chunk c
  where ${overlaps('q.series_id', 'q.from_step', 'q.to_step')}
    and (not q.cut_only or c.first_step < q.from_step or c.last_step > q.to_step or ${wideChunk})
  order by c.first_step
) p
order by q.no, p.first_step`,
};

/** The effective chunks that overlap the requests, by request and step. */
export async function readChunkBodies(client: pg.ClientBase, tenantId: string, requests: readonly BodyRequest[]): Promise<StoredBody[]> {
  if (requests.length === 0) return [];
  const rows = await binaryQuery(client, statement, [
    tenantId,
    arrayParameter(requests.map((request) => request.seriesId)),
    arrayParameter(requests.map((request) => request.from)),
    arrayParameter(requests.map((request) => request.to)),
    arrayParameter(requests.map((request) => (request.cutOnly ? 't' : 'f'))),
  ]);
  return rows.map((row) => ({
    request: Number(readInt8(row[0]!)) - 1,
    fileId: readId(row[1]!),
    firstStep: readInt8(row[2]!),
    lastStep: readInt8(row[3]!),
    count: row[4]!.readInt32BE(0),
    body: row[5]!,
  }));
}
