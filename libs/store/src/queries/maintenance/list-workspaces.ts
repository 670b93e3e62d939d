import { sql, type Kysely } from 'kysely';
import type { TenantId } from '#model';
import type { Database } from '../../database.ts';

/** A workspace as the operator sees it. Contains no names except the workspace's own. */
export interface WorkspaceLine {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly createdAt: Date;
  readonly suspension: string | null;
}

/** At most `limit` workspaces, oldest first. */
export async function listWorkspaces(trx: Kysely<Database>, limit: number): Promise<WorkspaceLine[]> {
  const { rows } = await sql<{ tenant_id: TenantId; name: string; created_at: Date; suspension: string | null }>`
    /* list-workspaces */
    select w.tenant_id, w.name, w.created_at, l.suspension
    from workspace w left join workspace_limits l on l.tenant_id = w.tenant_id
    order by w.created_at, w.tenant_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({ tenantId: row.tenant_id, name: row.name, createdAt: row.created_at, suspension: row.suspension }));
}
