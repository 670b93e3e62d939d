import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import { dropBatches } from '../progress/take-batches.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes the row of an experiment that no longer has runs, its route, and stored responses about
 * it. Returns false if a run was created in the meantime; remove that run first.
 */
export async function removeExperimentRow(scope: TenantScope, experimentId: ExperimentId): Promise<boolean> {
  const { trx, tenantId } = scope;
  // New runs wait for this lock, and then find that the experiment is gone.
  await sql`/* remove-experiment-row-experiment */
    select 1 from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId} for update`.execute(trx);
  const { rows } = await sql`
    /* remove-experiment-row-run */
    select 1 from run where tenant_id = ${tenantId} and experiment_id = ${experimentId} limit 1`.execute(trx);
  if (rows.length > 0) return false;
  await sql`/* remove-experiment-row-pending-segment */
    delete from pending_segment where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  await dropBatches(scope, experimentId);
  // Stored responses to POST requests contain the name and the description.
  await sql`/* remove-experiment-row-idempotency-key */ delete from idempotency_key
    where tenant_id = ${tenantId} and position(${experimentId} in response::text) > 0`.execute(trx);
  const { rows: links } = await sql<{ link_id: string }>`
    /* remove-experiment-row-share-link */
    select link_id from share_link where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  await sql`/* remove-experiment-row-share-link-route */ delete from share_link_route where tenant_id = ${tenantId}
    and link_id = any(${links.map((row) => row.link_id)}::uuid[])`.execute(trx);
  await sql`/* remove-experiment-row-delete-experiment */
    delete from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  await sql`/* remove-experiment-row-experiment-route */ delete from experiment_route where experiment_id = ${experimentId}`.execute(trx);
  return true;
}
