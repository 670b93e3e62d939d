import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { WrittenBatch } from '#progress';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes all batches from the channel. Returns each with the worker's previous number that was
 * applied (0 if none).
 */
export async function takeBatches(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
): Promise<(WrittenBatch & { readonly heard: number })[]> {
  const { rows } = await sql<{ worker: string; number: string; changes: unknown; heard: string }>`/* prepared: take-batches */
    with taken as (
      delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId} returning worker, number, changes)
    select t.worker, t.number, t.changes, coalesce(h.number, 0) as heard from taken t
    left join progress_heard h on h.tenant_id = ${tenantId} and h.experiment_id = ${experimentId} and h.worker = t.worker`.execute(trx);
  return rows.map(({ worker, number, changes, heard }) => ({ worker, number: Number(number), changes, heard: Number(heard) }));
}

/** Removes all batches of an experiment with a channel that is no longer read. */
export async function dropBatches({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* drop-batches */ delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
}
