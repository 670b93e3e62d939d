import { sql } from 'kysely';
import { removeTokenRoutesOf } from '../people/remove-token-routes.ts';
import type { TenantScope } from '../../scope.ts';

/** Changes a member's role: owner, admin, member or viewer. */
export async function updateMemberRole({ trx, tenantId }: TenantScope, personId: string, role: string): Promise<void> {
  await sql`/* update-member-role */
    update workspace_member set role = ${role} where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
}

/**
 * Removes a member and all of their access: tokens, sessions, sign-in links, and the invitations
 * that they created. Anything else that they created remains.
 */
export async function removeMemberRow(scope: TenantScope, personId: string): Promise<void> {
  const { trx, tenantId } = scope;
  await sql`/* remove-member-row-workspace-member */
    delete from workspace_member where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await sql`/* remove-member-row-person-workspace */
    update person_workspace set left_at = now() where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await removeTokenRoutesOf(scope, personId);
  await sql`/* remove-member-row-access-token */ update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and person_id = ${personId} and revoked_at is null`.execute(trx);
  await sql`/* remove-member-row-browser-session */
    delete from browser_session where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await sql`/* remove-member-row-device-code */
    delete from device_code where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await sql`/* remove-member-row-sign-in-link */
    delete from sign_in_link where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await sql`/* remove-member-row-invitation */ update invitation set revoked_at = now()
    where tenant_id = ${tenantId} and invited_by = ${personId} and used_at is null and revoked_at is null`.execute(trx);
}
