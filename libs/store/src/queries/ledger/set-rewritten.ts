import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A file's first bytes after a point deletion. */
export interface RewrittenBytes {
  readonly originalKey: string;
  readonly bytes: number;
  /** CRC-32C, as kept and as received. */
  readonly crc32c: number;
  readonly receivedCrc32c: number;
}

/** Sets the object that now provides a locked file's first bytes, without the deleted points. */
export async function setRewritten(
  { trx, tenantId }: TenantScope,
  fileId: FileId,
  { originalKey, bytes, crc32c, receivedCrc32c }: RewrittenBytes,
): Promise<void> {
  await sql`/* set-rewritten */ update event_file set original_key = ${originalKey}, joined_bytes = ${bytes}, rewritten_bytes = ${bytes},
      rewritten_crc32c = ${crc32c}, received_crc32c = ${receivedCrc32c}
    where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
