import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Sets the usage of a copied experiment's runs from their rows. Usage is normally counted at
 * ingest, which a copy skips.
 */
export async function countCopiedUsage({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* count-copied-usage */ update run_state r set
      series = (select count(*) from series s where s.tenant_id = ${tenantId} and s.run_id = r.run_id),
      points = (
        select coalesce(sum(c.points + c.superseded_points), 0) from series s
        join series_stats c on c.tenant_id = ${tenantId} and c.series_id = s.series_id
        where s.tenant_id = ${tenantId} and s.run_id = r.run_id
      ) + (select coalesce(sum(t.points), 0) from run_tail t where t.tenant_id = ${tenantId} and t.run_id = r.run_id),
      value_bytes = (
        select coalesce(sum(v.bytes), 0) from series s
        join tensor_value v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
        where s.tenant_id = ${tenantId} and s.run_id = r.run_id
      ) + (
        select coalesce(sum((select sum(u.bytes) from unnest(w.blob_bytes) as u(bytes))), 0) from series s
        join blob_sequence_value w on w.tenant_id = ${tenantId} and w.series_id = s.series_id
        where s.tenant_id = ${tenantId} and s.run_id = r.run_id
      )
    where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId}`.execute(trx);
}
