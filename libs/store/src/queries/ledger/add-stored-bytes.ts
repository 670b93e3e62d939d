import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Counts the event file bytes that the transaction adds (or removes, if negative). Locks the
 * experiment's row until the transaction ends, so call it last, after locking the files.
 */
export async function addStoredBytes({ trx, tenantId }: TenantScope, experimentId: ExperimentId, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await sql`/* add-stored-bytes */ update experiment_epoch set stored_bytes = stored_bytes + ${bytes}
    where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
}
