import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * An invitation's workspace, found by the SHA-256 of the invitation's secret. `invitation_route` is
 * global, because the person who accepts is not in the workspace yet.
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
