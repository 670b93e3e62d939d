import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
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

/**
 * Creates an invitation and its route in the global `invitation_route`. It expires by the clock of
 * the database, which all processes share.
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
    /** Latest expiry; null: only its lifetime counts. */
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

/** Revokes an invitation. False: there is none that could still be accepted. */
export async function revokeInvitationRow({ trx, tenantId }: TenantScope, invitationId: string): Promise<boolean> {
  const { rows } = await sql`/* revoke-invitation-row */ update invitation set revoked_at = now()
    where tenant_id = ${tenantId} and invitation_id = ${invitationId} and used_at is null and revoked_at is null and expires_at > now()
    returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * The workspace of an invitation, by the SHA-256 of its secret. `invitation_route` is global: the
 * person who accepts is not in the workspace yet.
 */
export async function readInvitationRoute(
  db: GlobalHandle,
  secretHash: Buffer,
): Promise<{ tenantId: TenantId; invitationId: string } | null> {
  const { rows } = await sql<{ tenant_id: TenantId; invitation_id: string }>`
    /* read-invitation-route */
    select tenant_id, invitation_id from invitation_route where secret_hash = ${secretHash}`.execute(db);
  return rows[0] ? { tenantId: rows[0].tenant_id, invitationId: rows[0].invitation_id } : null;
}

/**
 * Consumes an invitation; null if it was used before, revoked, or is too old. Of two concurrent
 * calls, one gets it.
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
