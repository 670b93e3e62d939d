import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** The number of blobs in an experiment's blob sequences, including superseded points. */
export async function countBlobs({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<number> {
  const { rows } = await sql<{ blobs: string }>`
    /* count-blobs */
    select coalesce(sum(cardinality(v.blob_sha256)), 0) as blobs
    from series s join blob_sequence_value v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
    join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.deleted_at is null
    where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.data_class = 'blob_sequence'`.execute(trx);
  return Number(rows[0]?.blobs ?? 0);
}
