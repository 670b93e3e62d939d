import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A member of a workspace. */
export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly role: string;
  readonly joinedAt: Date;
}

/** Members in id order, after `after`. */
export async function listMembers(
  { trx, tenantId }: TenantScope,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<Member[]> {
  const { rows } = await sql<{ person_id: string; display_name: string; role: string; created_at: Date }>`
    /* list-members */
    select m.person_id, p.display_name, m.role, m.created_at
    from workspace_member m join person p on p.person_id = m.person_id
    where m.tenant_id = ${tenantId} and (${after}::uuid is null or m.person_id > ${after}::uuid)
    order by m.person_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({ personId: row.person_id, name: row.display_name, role: row.role, joinedAt: row.created_at }));
}
