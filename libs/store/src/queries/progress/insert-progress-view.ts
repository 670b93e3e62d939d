import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import { noProgress } from '#progress';
import type { TenantScope } from '../../scope.ts';
import { maxSilenceMs } from './lock-progress-view.ts';

/** Creates the view for a new experiment, in which nothing has been acknowledged. */
export async function insertProgressView({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* insert-progress-view */ insert into progress_view (tenant_id, experiment_id, changes)
    values (${tenantId}, ${experimentId}, ${JSON.stringify(noProgress)}::json)`.execute(trx);
}

/**
 * Creates a missing view, which must then be rebuilt. Returns false if the view exists or the
 * experiment does not. Without a view, readers get the frontier that follows from the ledger. So
 * nothing may settle anywhere until the transaction ends; otherwise, the frontier that readers see
 * would decrease. All writers wait for the transaction, so it is brief. If the lock is not
 * immediately available, the transaction fails and is retried later (like any lock error). A caller
 * that stalls while holding the lock loses it.
 */
export async function insertLostView({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<boolean> {
  const { rows: lost } = await sql`/* insert-lost-view-experiment */
    select 1 from experiment e where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId}
    and not exists (select from progress_view v where v.tenant_id = ${tenantId} and v.experiment_id = ${experimentId})`.execute(trx);
  if (lost.length === 0) return false;
  await sql`/* bound-lost-view */
    select set_config('lock_timeout', '100', true), set_config('idle_in_transaction_session_timeout', ${String(maxSilenceMs)}, true)`.execute(
    trx,
  );
  await sql`/* lock-progress-batches */ lock table progress_batch in share row exclusive mode`.execute(trx);
  const { rows } = await sql`/* insert-lost-view-progress-view */ insert into progress_view (tenant_id, experiment_id, changes)
    select e.tenant_id, e.experiment_id, '[]'::json from experiment e where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId}
    on conflict (tenant_id, experiment_id) do nothing returning 1`.execute(trx);
  return rows.length > 0;
}
