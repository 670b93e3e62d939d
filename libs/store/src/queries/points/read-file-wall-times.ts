import { sql } from 'kysely';
import type { FileId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * Smallest and largest finite wall times of the stored points and SessionLog STARTs in each file of
 * a run. Files without any are omitted. Excludes points in the tail.
 */
export async function readFileWallTimes(
  { trx, tenantId }: IngestScope,
  runId: RunId,
): Promise<Map<FileId, { first: number; last: number }>> {
  const finite = sql`between '-1.7976931348623157e308'::float8 and '1.7976931348623157e308'::float8`;
  const { rows } = await sql<{ file_id: FileId; first: number | null; last: number | null }>`
    /* read-file-wall-times */
    select p.file_id, min(p.first) filter (where p.first ${finite}) as first, max(p.last) filter (where p.last ${finite}) as last
    from (
      select t.file_id, t.wall_time as first, t.wall_time as last from session_start t where t.tenant_id = ${tenantId} and t.run_id = ${runId}
      union all
      select v.* from series s, lateral (
        select c.file_id, c.min_wall as first, c.max_wall as last from scalar_chunk c where c.tenant_id = ${tenantId} and c.series_id = s.series_id
        union all
        select v.file_id, v.wall_time, v.wall_time from tensor_value v where v.tenant_id = ${tenantId} and v.series_id = s.series_id
        union all
        select b.file_id, b.wall_time, b.wall_time from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = s.series_id
      ) v
      where s.tenant_id = ${tenantId} and s.run_id = ${runId}
    ) p
    group by p.file_id`.execute(trx);
  return new Map(
    rows.flatMap(({ file_id, first, last }) => (first === null || last === null ? [] : [[file_id, { first, last }] as const])),
  );
}
