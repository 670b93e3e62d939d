import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Updates the durable state of locked files. Each file has new bytes, so it is no longer complete,
 * unless `complete` is set because these bytes complete it.
 */
export async function advanceFiles(
  { trx, tenantId }: TenantScope,
  files: readonly { readonly fileId: FileId; readonly durableOffset: number; readonly crc32c: number; readonly complete?: boolean }[],
): Promise<void> {
  // If tables are distributed, CASE cannot contain the time, so there are two statements. Usually,
  // an append needs only one of them.
  for (const completes of [false, true]) {
    const changed = files.filter(({ complete = false }) => complete === completes);
    if (changed.length === 0) continue;
    const completion = completes
      ? sql`completed_bytes = u.durable_offset, completed_at = now()`
      : sql`completed_bytes = null, completed_at = null`;
    await sql`/* advance-files */ update event_file f set durable_offset = u.durable_offset, crc32c = u.crc32c, sha256 = null, ${completion}
      from unnest(${changed.map(({ fileId }) => fileId)}::bigint[], ${changed.map(({ durableOffset }) => String(durableOffset))}::bigint[],
        ${changed.map(({ crc32c }) => String(crc32c))}::bigint[]) as u(file_id, durable_offset, crc32c)
      where f.tenant_id = ${tenantId} and f.file_id = u.file_id`.execute(trx);
  }
}
