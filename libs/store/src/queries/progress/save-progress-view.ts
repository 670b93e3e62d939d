import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { WrittenChange } from '#progress';
import type { TenantScope } from '../../scope.ts';

/**
 * Saves a locked view and the last numbers of the workers that sent batches. Updates first rather
 * than using `on conflict`, which would log a lock for each row.
 */
export async function saveProgressView(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  state: {
    readonly publishedEpoch: number;
    readonly changes: readonly WrittenChange[];
    readonly outstanding: boolean;
    readonly numbers: ReadonlyMap<string, number>;
  },
): Promise<void> {
  await sql`/* prepared: save-progress-view */
    with saved as (
      update progress_view set published_epoch = ${state.publishedEpoch}, changes = ${JSON.stringify(state.changes)}::json,
        outstanding = ${state.outstanding}, heard_at = now()
      where tenant_id = ${tenantId} and experiment_id = ${experimentId}),
    heard as (
      select worker, number from unnest(${[...state.numbers.keys()]}::text[], ${[...state.numbers.values()].map(String)}::bigint[]) as u(worker, number)),
    known as (
      update progress_heard h set number = heard.number from heard
      where h.tenant_id = ${tenantId} and h.experiment_id = ${experimentId} and h.worker = heard.worker returning h.worker)
    insert into progress_heard (tenant_id, experiment_id, worker, number)
    select ${tenantId}::uuid, ${experimentId}::text, worker, number from heard where worker not in (select worker from known)
    returning 1`.execute(trx);
}
