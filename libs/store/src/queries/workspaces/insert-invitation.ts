import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Creates an invitation and its route in the global `invitation_route`. It expires by the
 * database's clock, which all processes share.
 */
export async function insertInvitation(
  { trx, tenantId }: TenantScope,
  invitation: {
    invitationId: string;
    secretHash: Buffer;
    role: string;
    invitedBy: string;
    creatorTokenId: string | null;
    lifetimeSeconds: number;
    /** Latest expiry. Null means that only its lifetime counts. */
    until: Date | null;
  },
): Promise<Date> {
  const { invitationId, secretHash, role, invitedBy, creatorTokenId, lifetimeSeconds, until } = invitation;
  const { rows } = await sql<{ expires_at: Date }>`
    /* insert-invitation */
    insert into invitation (tenant_id, invitation_id, role, invited_by, made_by, expires_at)
    values (${tenantId}, ${invitationId}, ${role}, ${invitedBy}, ${creatorTokenId}::uuid,
      least(now() + make_interval(secs => ${lifetimeSeconds}), ${until}::timestamptz))
    returning expires_at`.execute(trx);
  await sql`/* insert-invitation-invitation-route */
    insert into invitation_route (secret_hash, tenant_id, invitation_id) values (${secretHash}, ${tenantId}, ${invitationId})`.execute(trx);
  return rows[0]!.expires_at;
}
