import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import { removePerson } from './remove-person.ts';

/**
 * Removes the rows of a workspace without experiments: stored responses, tokens, memberships, the
 * workspace itself, and people who are members of no other workspace. Uses one transaction, because
 * those people cannot be identified once the memberships are removed. Returns false if an
 * experiment was created in the meantime; remove that experiment first.
 */
export async function removeWorkspaceRows({ trx, tenantId }: TenantScope): Promise<boolean> {
  await sql`/* remove-workspace-rows-workspace */ select 1 from workspace where tenant_id = ${tenantId} for update`.execute(trx);
  const { rows } = await sql`/* remove-workspace-rows-experiment */
    select 1 from experiment where tenant_id = ${tenantId} limit 1`.execute(trx);
  if (rows.length > 0) return false;
  await sql`/* remove-workspace-rows-pending-segment */ delete from pending_segment where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-progress-batch */ delete from progress_batch where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-idempotency-key */ delete from idempotency_key where tenant_id = ${tenantId}`.execute(trx);
  const { rows: members } = await sql<{ person_id: string }>`
    /* remove-workspace-rows-workspace-member */
    select person_id from workspace_member where tenant_id = ${tenantId} order by person_id`.execute(trx);
  await sql`/* remove-workspace-rows-token-route */ delete from token_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-share-link-route */ delete from share_link_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-browser-session */ delete from browser_session where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-sign-in-link */ delete from sign_in_link where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-invitation-route */ delete from invitation_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-delete-workspace */ delete from workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-person-workspace */ delete from person_workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-deletion */ update deletion set requested_by = null where tenant_id = ${tenantId}`.execute(trx);
  for (const member of members) await removePerson(trx, member.person_id);
  return true;
}
