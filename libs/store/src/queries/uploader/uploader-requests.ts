import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Records an uploader's request in the transaction that stores its data. Returns false if it was
 * already recorded. If another transaction has the same request, waits for that transaction to end.
 */
export async function insertUploaderRequest(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  requestHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`
    /* insert-uploader-request */
    insert into uploader_request (tenant_id, experiment_id, request_hash) values (${tenantId}, ${experimentId}, ${requestHash})
    on conflict (tenant_id, experiment_id, request_hash) do nothing returning 1`.execute(trx);
  return rows.length > 0;
}
