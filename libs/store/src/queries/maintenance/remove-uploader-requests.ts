import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes at most `limit` uploader requests older than `keptHours`. Returns how many were removed.
 */
export async function removeUploaderRequests({ trx, tenantId }: TenantScope, keptHours: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-uploader-requests */ delete from uploader_request r
    using (select experiment_id, request_hash from uploader_request
      where tenant_id = ${tenantId} and received_at < now() - make_interval(hours => ${keptHours})
      order by received_at limit ${limit} for update skip locked) old
    where r.tenant_id = ${tenantId} and r.experiment_id = old.experiment_id and r.request_hash = old.request_hash`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
