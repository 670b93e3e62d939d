import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Marks a locked file as complete with all its durable bytes. */
export async function completeFile({ trx, tenantId }: TenantScope, fileId: FileId, bytes: number): Promise<void> {
  await sql`/* complete-file */ update event_file set completed_bytes = ${bytes}, completed_at = now()
    where tenant_id = ${tenantId} and file_id = ${fileId} and completed_bytes is distinct from ${bytes}::bigint`.execute(trx);
}

/**
 * The epoch that acknowledged the last byte of the file's prefix. Epochs increase along the prefix,
 * so this epoch covers the whole prefix. Null if no segment has this epoch, because the file is
 * empty or its segments were joined.
 */
export async function readLastEpoch({ trx, tenantId }: TenantScope, fileId: FileId): Promise<number | null> {
  const { rows } = await sql<{ epoch: string }>`
    /* read-last-epoch */
    select epoch from segment where tenant_id = ${tenantId} and file_id = ${fileId} and epoch is not null
    order by "offset" desc limit 1`.execute(trx);
  return rows[0] ? Number(rows[0].epoch) : null;
}
