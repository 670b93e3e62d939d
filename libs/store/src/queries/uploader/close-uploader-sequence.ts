import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import { readHeldBlobs } from './read-uploader-blobs.ts';

/**
 * Closes a sequence with blobs in the ledger, and removes the blobs' bodies from its rows. Returns
 * the size of the bodies in bytes.
 */
export async function closeUploaderSequence(scope: TenantScope, sequenceId: string): Promise<number> {
  const { trx, tenantId } = scope;
  const { bytes } = await readHeldBlobs(scope, sequenceId);
  await sql`
    /* close-uploader-sequence */
    with closed as (update uploader_sequence set is_open = false where tenant_id = ${tenantId} and sequence_id = ${sequenceId})
    update uploader_blob set body = null where tenant_id = ${tenantId} and sequence_id = ${sequenceId}`.execute(trx);
  return bytes;
}
