import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Notes a request of an uploader in the transaction that takes what it says; false: it was taken before. While another transaction holds the same request, this waits for
 * its end.
 */
export async function insertUploaderRequest(
  trx: Kysely<Database>,
  tenantId: string,
  experimentId: string,
  requestHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`
    insert into uploader_request (tenant_id, experiment_id, request_hash) values (${tenantId}, ${experimentId}, ${requestHash})
    on conflict (tenant_id, experiment_id, request_hash) do nothing returning 1`.execute(trx);
  return rows.length > 0;
}
