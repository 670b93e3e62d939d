import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** An invitation that can still be accepted. Its secret is not stored. */
export interface OpenInvitation {
  readonly invitationId: string;
  readonly role: string;
  readonly invitedBy: string;
  readonly inviter: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Lists open invitations, newest first. */
export async function listOpenInvitations({ trx, tenantId }: TenantScope, limit: number): Promise<OpenInvitation[]> {
  const { rows } = await sql<{
    invitation_id: string;
    role: string;
    invited_by: string;
    display_name: string;
    created_at: Date;
    expires_at: Date;
  }>`/* list-open-invitations */ select i.invitation_id, i.role, i.invited_by, p.display_name, i.created_at, i.expires_at
    from invitation i join person p on p.person_id = i.invited_by
    where i.tenant_id = ${tenantId} and i.used_at is null and i.revoked_at is null and i.expires_at > now()
    order by i.created_at desc, i.invitation_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    invitationId: row.invitation_id,
    role: row.role,
    invitedBy: row.invited_by,
    inviter: row.display_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}
