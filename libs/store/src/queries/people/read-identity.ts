import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** The response of `whoami`. */
export interface Identity {
  readonly displayName: string;
  readonly workspace: string;
  readonly role: string;
}

/**
 * A person as a member of the workspace. `person` is a reference table, so the join runs on one
 * node.
 */
export async function readIdentity({ trx, tenantId }: TenantScope, personId: string): Promise<Identity | null> {
  const row = await trx
    .selectFrom('workspace_member as m')
    .innerJoin('workspace as w', 'w.tenant_id', 'm.tenant_id')
    .innerJoin('person as p', 'p.person_id', 'm.person_id')
    .select(['p.display_name', 'w.name', 'm.role'])
    .where('m.tenant_id', '=', tenantId)
    .where('m.person_id', '=', personId)
    .modifyFront(sql`/* read-identity */`)
    .executeTakeFirst();
  return row ? { displayName: row.display_name, workspace: row.name, role: row.role } : null;
}
