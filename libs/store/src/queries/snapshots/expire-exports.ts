import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { AnyScope, TenantScope } from '../../scope.ts';
import { isKept } from './export-job.ts';

/**
 * Immediately expires an experiment's exports, or one of them: they are gone for readers, a worker
 * stops at its next step, and the sweeper removes their results.
 */
export async function expireExports(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  exportId: string | null = null,
): Promise<void> {
  await sql`/* expire-exports */ update export_job j set expires_at = now()
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and (${exportId}::uuid is null or j.export_id = ${exportId}) and ${isKept}`.execute(
    trx,
  );
}

/**
 * Removes at most `limit` expired exports. Returns how many were removed. Afterward, nothing refers
 * to their results.
 */
export async function removeExpiredExports({ trx, tenantId }: AnyScope, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-expired-exports */ delete from export_job where tenant_id = ${tenantId} and export_id in (
    select export_id from export_job where tenant_id = ${tenantId} and expires_at <= now()
    order by expires_at limit ${limit} for update skip locked)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
