import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Records that the first `bytes` of a locked file are no longer kept, in any object.
 * `receivedCrc32c` is the checksum of these bytes, or null if unknown.
 */
export async function setDropped(
  { trx, tenantId }: TenantScope,
  fileId: FileId,
  { bytes, receivedCrc32c }: { bytes: number; receivedCrc32c: number | null },
): Promise<void> {
  await sql`/* set-dropped */
    update event_file set original_key = null, joined_bytes = 0, dropped_bytes = ${bytes}, rewritten_bytes = 0, rewritten_crc32c = null,
      received_crc32c = ${receivedCrc32c}
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
