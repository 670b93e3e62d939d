import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Makes a joined object provide the first `bytes` of a locked file. The caller has read the object
 * back and verified its checksum. `sha256` is the checksum of the bytes as received, or null if
 * they are not kept unchanged.
 */
export async function setOriginal(
  { trx, tenantId }: TenantScope,
  fileId: FileId,
  originalKey: string,
  bytes: number,
  sha256: Uint8Array | null,
): Promise<void> {
  await sql`/* set-original */
    update event_file set original_key = ${originalKey}, joined_bytes = ${bytes}, sha256 = coalesce(${sha256 && Buffer.from(sha256)}, sha256)
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
