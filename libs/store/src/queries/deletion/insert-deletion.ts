import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';
import { expireExports } from '../snapshots/expire-exports.ts';

/**
 * The target of a deletion: the whole workspace, one experiment, some runs, points of some runs, or
 * originals with expired retention.
 */
export type DeletionKind = 'workspace' | 'experiment' | 'runs' | 'points' | 'originals';

/**
 * A deletion to be created. It contains only IDs and hashes, because the row remains as a record.
 */
export interface NewDeletion {
  readonly deletionId: string;
  readonly kind: DeletionKind;
  readonly experimentId: ExperimentId | null;
  /** Null: the whole experiment. */
  readonly runIds: readonly RunId[] | null;
  /** SHA-256 of tags. Null means all tags. */
  readonly tagHashes: readonly Buffer[] | null;
  /** Steps, inclusive. Null means no bound. */
  readonly fromStep: bigint | null;
  readonly toStep: bigint | null;
  /** Everything acknowledged up to this epoch is ingested before the points are deleted. */
  readonly throughEpoch: number | null;
  readonly requestedBy: string | null;
}

/**
 * Creates a deletion in the transaction that sets its tombstones. The experiment's exports expire
 * at the same time, because they contain the deleted data.
 */
export async function insertDeletion(scope: TenantScope, deletion: NewDeletion): Promise<void> {
  const { trx, tenantId } = scope;
  if (deletion.experimentId !== null) await expireExports(scope, deletion.experimentId);
  await sql`/* insert-deletion */
    insert into deletion (tenant_id, deletion_id, kind, experiment_id, run_ids, tag_hashes, from_step, to_step, through_epoch, requested_by)
    values (${tenantId}, ${deletion.deletionId}, ${deletion.kind}, ${deletion.experimentId}, ${deletion.runIds && [...deletion.runIds]}::bigint[],
      ${deletion.tagHashes && [...deletion.tagHashes]}::bytea[], ${deletion.fromStep?.toString() ?? null}, ${deletion.toStep?.toString() ?? null},
      ${deletion.throughEpoch}, ${deletion.requestedBy})`.execute(trx);
}
