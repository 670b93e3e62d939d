import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * A person's workspaces. With `left`, includes those that they have left. `person_workspace` is
 * global.
 */
export async function readPersonWorkspaces(db: GlobalHandle, personId: string, left = false): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`
    /* read-person-workspaces */
    select tenant_id from person_workspace where person_id = ${personId} and (left_at is null or ${left}) order by joined_at, tenant_id`.execute(
    db,
  );
  return rows.map((row) => row.tenant_id);
}
