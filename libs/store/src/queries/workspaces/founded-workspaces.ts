import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * The number of existing workspaces that a person has created. Until the transaction ends, the
 * person cannot create another. Null if the person no longer exists. `person` and
 * `person_workspace` are global.
 */
export async function countFounded(trx: GlobalHandle, personId: string): Promise<number | null> {
  const { rows } = await sql`/* count-founded-person */
    select 1 from person where person_id = ${personId} and erased_at is null for no key update`.execute(trx);
  if (rows.length === 0) return null;
  const { rows: counted } = await sql<{ founded: number }>`
    /* count-founded-person-workspace */
    select count(*)::int as founded from person_workspace where person_id = ${personId} and founded`.execute(trx);
  return counted[0]!.founded;
}

/** Records that a member created the workspace. */
export async function noteFounder({ trx, tenantId }: TenantScope, personId: string): Promise<void> {
  await sql`/* note-founder */
    update person_workspace set founded = true where person_id = ${personId} and tenant_id = ${tenantId}`.execute(trx);
}
