import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** Segments of one file, given by their offsets. */
export interface FileSegments {
  readonly fileId: FileId;
  readonly offsets: readonly number[];
}

/**
 * Removes exactly these segments of a run from its pending segments. The same transaction stores
 * their points. Returns the number of segments per epoch, which the transaction then reports.
 */
export async function settleSegments(
  { trx, tenantId }: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  files: readonly FileSegments[],
): Promise<Map<number, number>> {
  const fileIds = files.flatMap(({ fileId, offsets }) => offsets.map(() => fileId));
  const offsets = files.flatMap((file) => file.offsets.map(String));
  const [first, last] = files.flatMap((file) => file.offsets).reduce(([a, b], at) => [Math.min(a, at), Math.max(b, at)], [Infinity, 0]);
  if (first === Infinity) return new Map();
  // Not prepared, because a generic plan made while the list was short compares each key with each
  // pending segment of the run. The bounds are redundant but necessary. Without them, Postgres may
  // read all pending segments of the run in each transaction of a long backlog.
  const { rows } = await sql<{ epoch: string; segments: string }>`/* settle-segments */ with settled as (
      delete from pending_segment p using unnest(${fileIds}::bigint[], ${offsets}::bigint[]) as k(file_id, "offset")
      where p.tenant_id = ${tenantId} and p.experiment_id = ${experimentId} and p.run_id = ${runId}
        and p.file_id = any(${files.map(({ fileId }) => fileId)}::bigint[]) and p."offset" between ${first} and ${last}
        and p.file_id = k.file_id and p."offset" = k."offset" returning p.epoch)
    select epoch, count(*) as segments from settled group by epoch`.execute(trx);
  return new Map(rows.map((row) => [Number(row.epoch), Number(row.segments)]));
}
