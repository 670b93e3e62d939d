import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { OperatorScope, TenantScope } from '../../scope.ts';

/**
 * Assigns the experiment's next epoch to a batch that acknowledges `acknowledged` bytes and
 * stores `stored` new bytes. The two differ because bytes beyond a prefix are stored before the
 * prefix reaches them. Locks the counter until the transaction ends, so that epochs commit in
 * order. Call it as late as possible.
 */
export async function advanceEpoch(
  { trx, tenantId }: TenantScope | OperatorScope,
  experimentId: ExperimentId,
  bytes: { readonly acknowledged: number; readonly stored: number },
): Promise<number> {
  const { rows } = await sql<{ epoch: string }>`
    /* advance-epoch */
    update experiment_epoch set acknowledged_epoch = acknowledged_epoch + 1, acknowledged_bytes = acknowledged_bytes + ${bytes.acknowledged},
      stored_bytes = stored_bytes + ${bytes.stored}, acknowledged_at = now()
    where tenant_id = ${tenantId} and experiment_id = ${experimentId}
    returning acknowledged_epoch as epoch`.execute(trx);
  const row = rows[0];
  if (!row) throw new Error(`experiment ${experimentId} has no counter of epochs`);
  return Number(row.epoch);
}

/** The epoch of the experiment's last committed batch. 0 before the first. */
export async function readAcknowledgedEpoch({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<number> {
  const { rows } = await sql<{ epoch: string }>`
    /* read-acknowledged-epoch */
    select acknowledged_epoch as epoch from experiment_epoch
    where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  return Number(rows[0]?.epoch ?? 0);
}

/**
 * An experiment's last acknowledgement, and how long ago it was. Undefined before the first
 * acknowledgement.
 */
export async function readLastAcknowledgement(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
): Promise<{ readonly epoch: number; readonly ageMs: number } | undefined> {
  const { rows } = await sql<{ epoch: string; age_ms: number | null }>`
    /* read-last-acknowledgement */
    select acknowledged_epoch as epoch, (extract(epoch from clock_timestamp() - acknowledged_at) * 1000)::float8 as age_ms
    from experiment_epoch where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  const row = rows[0];
  return row === undefined || row.age_ms === null ? undefined : { epoch: Number(row.epoch), ageMs: Math.max(0, row.age_ms) };
}
