import { sql } from 'kysely';
import type { FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes the segments before `end`, which an original covers. Returns the keys of their objects,
 * which the caller deletes after the commit.
 */
export async function deleteSegmentsBefore({ trx, tenantId }: TenantScope, fileId: FileId, end: number): Promise<string[]> {
  const { rows } = await sql<{ object_key: string | null }>`
    /* delete-segments-before */
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key`.execute(trx);
  return rows.flatMap((row) => (row.object_key === null ? [] : [row.object_key]));
}
