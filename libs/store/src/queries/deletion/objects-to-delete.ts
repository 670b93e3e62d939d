import { sql } from 'kysely';
import type { TenantScope, IngestScope } from '../../scope.ts';

/** An object whose row is being removed. */
export interface ObjectToDelete {
  readonly objectKey: string;
  /** The object's size. 0 if only the blob store knows it. */
  readonly bytes: number;
}

/**
 * Adds objects to the list of objects to remove. Runs in the transaction that removes the rows that
 * refer to them.
 */
export async function insertObjectsToDelete(
  { trx, tenantId }: TenantScope,
  deletionId: string,
  objects: readonly ObjectToDelete[],
): Promise<void> {
  if (objects.length === 0) return;
  await sql`/* insert-objects-to-delete */ insert into object_to_delete (tenant_id, object_key, deletion_id, bytes)
    select distinct on (u.object_key) ${tenantId}::uuid, u.object_key, ${deletionId}::uuid, u.bytes
    from unnest(${objects.map(({ objectKey }) => objectKey)}::text[], ${objects.map(({ bytes }) => String(bytes))}::bigint[]) as u(object_key, bytes)
    on conflict (tenant_id, object_key) do nothing`.execute(trx);
}

/**
 * Removes at most `limit` objects from a deletion's list. The caller deletes the objects before the
 * transaction ends. If the transaction rolls back, they are on the list again; deleting an object
 * twice is harmless.
 */
export async function takeObjectsToDelete({ trx, tenantId }: IngestScope, deletionId: string, limit: number): Promise<ObjectToDelete[]> {
  const { rows } = await sql<{ object_key: string; bytes: string }>`
    /* take-objects-to-delete */
    delete from object_to_delete o where o.tenant_id = ${tenantId} and o.object_key in (
      select object_key from object_to_delete where tenant_id = ${tenantId} and deletion_id = ${deletionId} order by object_key limit ${limit})
    returning o.object_key, o.bytes`.execute(trx);
  return rows.map((row) => ({ objectKey: row.object_key, bytes: Number(row.bytes) }));
}
