import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Revokes an invitation. Returns false if no such invitation can still be accepted. */
export async function revokeInvitationRow({ trx, tenantId }: TenantScope, invitationId: string): Promise<boolean> {
  const { rows } = await sql`/* revoke-invitation-row */ update invitation set revoked_at = now()
    where tenant_id = ${tenantId} and invitation_id = ${invitationId} and used_at is null and revoked_at is null and expires_at > now()
    returning 1`.execute(trx);
  return rows.length > 0;
}
