import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Consumes an invitation. Returns null if it was used before, was revoked, or is too old. Of two
 * concurrent calls, only one gets the invitation.
 */
export async function useInvitation(
  { trx, tenantId }: TenantScope,
  invitationId: string,
  personId: string,
): Promise<{ role: string; invitedBy: string } | null> {
  const { rows } = await sql<{ role: string; invited_by: string }>`
    /* use-invitation */
    update invitation set used_at = now(), used_by = ${personId}
    where tenant_id = ${tenantId} and invitation_id = ${invitationId} and used_at is null and revoked_at is null and expires_at > now()
    returning role, invited_by`.execute(trx);
  return rows[0] ? { role: rows[0].role, invitedBy: rows[0].invited_by } : null;
}
