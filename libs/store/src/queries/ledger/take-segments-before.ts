import { sql } from 'kysely';
import type { FileId } from '#model';
import type { ObjectToDelete } from '../deletion/objects-to-delete.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes the segments that start before `end`. Returns their objects, and the number of bytes that
 * were stored in rows.
 */
export async function takeSegmentsBefore(
  { trx, tenantId }: TenantScope,
  fileId: FileId,
  end: number,
): Promise<{ objects: ObjectToDelete[]; bytes: number }> {
  const { rows } = await sql<{ object_key: string | null; length: number; bytes: number }>`
    /* take-segments-before */
    delete from segment where tenant_id = ${tenantId} and file_id = ${fileId} and "offset" < ${end}
    returning object_key, length, coalesce(octet_length(body), 0) as bytes`.execute(trx);
  return {
    objects: rows.flatMap((row) => (row.object_key === null ? [] : [{ objectKey: row.object_key, bytes: row.length }])),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}
