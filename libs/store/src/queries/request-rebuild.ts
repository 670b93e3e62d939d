import { randomInt } from 'node:crypto';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';

/** The worker whose batches say: count anew. */
export const rebuildWorker = 'rebuild';

/**
 * Has the publisher count anew from the ledger, because this transaction changes the list of pending segments, and is neither an
 * acknowledgement nor the worker of a run.
 */
export async function requestRebuild(trx: Kysely<Database>, tenantId: string, experimentId: string): Promise<void> {
  await sql`insert into progress_batch (tenant_id, experiment_id, worker, number, changes) values ${request(tenantId, experimentId)}`.execute(
    trx,
  );
}

/** Takes segments off the list of pending ones without having read them, and has it counted anew if there were any. */
export async function dropPendingSegments(
  trx: Kysely<Database>,
  tenantId: string,
  experimentId: string,
  runIds: readonly string[],
): Promise<void> {
  await sql`with dropped as (
      delete from pending_segment
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and run_id = any(${[...runIds]}::bigint[]) returning 1)
    insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
    select r.* from (values ${request(tenantId, experimentId)}) r(tenant_id, experiment_id, worker, number, changes)
    where exists (select from dropped)`.execute(trx);
}

/** Each request is a row of its own: one that waits already may be heard before this transaction commits. */
function request(tenantId: string, experimentId: string): RawBuilder<unknown> {
  return sql`(${tenantId}::uuid, ${experimentId}::text, ${rebuildWorker}::text, ${randomInt(1, 2 ** 47)}::bigint, '[]'::jsonb)`;
}
