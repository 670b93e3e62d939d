import { pauseIfLong } from '#admission';
import type { FileId, SeriesId } from '#model';
import { arrayParameter, parameter, queryText, readBytes, type Statement } from '../../text-result.ts';
import { overlapping, wideChunk } from './list-scalar-series.ts';
import type { Snapshot } from '../../scope.ts';

/** Selects effective points by series and step range, including both ends. */
export interface BodyRequest {
  readonly seriesId: SeriesId;
  readonly from: bigint;
  readonly to: bigint;
  /**
   * Only the chunks that the rollup queries skip: chunks that contain an end of the range and, with
   * `cut and wide`, also chunks that span too many steps.
   */
  readonly only?: 'cut' | 'cut and wide';
  /**
   * Stop after the chunk that completes this number of points, counting forward from the first step
   * or backward from the last step.
   */
  readonly limit?: number;
}

/** A chunk with its undecoded points. */
export interface StoredBody {
  /** Index of the request. */
  readonly request: number;
  readonly fileId: FileId;
  readonly body: Buffer;
}

function statement(name: string, direction: 'asc' | 'desc'): Statement {
  return {
    name,
    text: `
select q.no, p.file_id, p.body
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')}), unnest(${parameter(5, 'boolean')}), unnest(${parameter(6, 'int8')})) with ordinality q(series_id, from_step, to_step, cut_only, points, no),
lateral (
  select o.* from (
    select c.file_id, c.first_step, c.body, sum(c.count) over (order by c.first_step ${direction} rows unbounded preceding) - c.count as before
    from ${overlapping('q.series_id', 'q.from_step', 'q.to_step')}
    where (not q.cut_only or c.first_step < q.from_step or c.last_step > q.to_step or ${wideChunk})
  ) o where o.before < q.points
) p
order by q.no, p.first_step`,
  };
}

/** The last chunk that starts at or before a step. */
const lastFrom = (step: string): string => `
  select e.first_step, e.last_step, e.file_id, e.body from scalar_chunk e
  where e.tenant_id = $1 and e.series_id = q.series_id and not e.superseded and e.first_step <= ${step}
  order by e.first_step desc limit 1`;

/** The chunks at the two ends of the range, which two index probes find. */
const cut: Statement = {
  name: 'read-cut-bodies',
  text: `
select q.no, p.file_id, p.body
from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int8')}), unnest(${parameter(4, 'int8')})) with ordinality q(series_id, from_step, to_step, no),
lateral (
  select a.* from (${lastFrom('q.from_step')}) a where a.last_step >= q.from_step and (a.first_step < q.from_step or a.last_step > q.to_step)
  union all
  select b.* from (${lastFrom('q.to_step')}) b where b.first_step > q.from_step and b.last_step > q.to_step
) p
order by q.no, p.first_step`,
};

const fromFirst = statement('read-effective-bodies', 'asc');
const fromLast = statement('read-effective-bodies-from-last', 'desc');

/**
 * The effective chunks that overlap the requests, ordered by request and step. If `end` is "last",
 * limits count backward from the largest step.
 */
export async function readEffectiveBodies(
  snapshot: Snapshot,
  requests: readonly BodyRequest[],
  end: 'first' | 'last' = 'first',
): Promise<StoredBody[]> {
  const ends = requests.flatMap((request, i) => (request.only === 'cut' ? [i] : []));
  const others = requests.flatMap((request, i) => (request.only === 'cut' ? [] : [i]));
  const found = [
    ...(await readBodies(snapshot, cut, requests, ends)),
    ...(await readBodies(snapshot, end === 'first' ? fromFirst : fromLast, requests, others)),
  ];
  return found.sort((a, b) => a.request - b.request);
}

/** The bodies for the requests at `indices`. */
async function readBodies(
  { client, tenantId }: Snapshot,
  sent: Statement,
  requests: readonly BodyRequest[],
  indices: readonly number[],
): Promise<StoredBody[]> {
  if (indices.length === 0) return [];
  const column = (pick: (request: BodyRequest) => string | bigint | number): string =>
    arrayParameter(indices.map((index) => pick(requests[index]!)));
  const places = [tenantId, column((request) => request.seriesId), column((request) => request.from), column((request) => request.to)];
  const rest =
    sent === cut ? [] : [column((request) => (request.only ? 't' : 'f')), column((request) => request.limit ?? Number.MAX_SAFE_INTEGER)];
  const rows = await queryText<readonly [string, FileId, string]>(client, sent, [...places, ...rest]);
  const found: StoredBody[] = [];
  for (const [no, fileId, body] of rows) {
    const pause = pauseIfLong();
    if (pause) await pause;
    found.push({ request: indices[Number(no) - 1]!, fileId, body: readBytes(body) });
  }
  return found;
}
