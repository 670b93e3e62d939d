import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Revokes a token and everything created with it: tokens, sessions, links, codes and open
 * invitations, and what those created in turn. Caches elsewhere are at most five seconds old.
 * Returns the IDs of the revoked tokens, or none if the token was revoked before. While this runs,
 * nothing can be created with the token; see {@link holdAccessToken}.
 */
export async function revokeAccessToken({ trx, tenantId }: TenantScope, tokenId: string): Promise<string[]> {
  const ended: string[] = [];
  const { rows: root } = await sql<{ token_id: string }>`
    /* revoke-access-token */
    update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and token_id = ${tokenId} and revoked_at is null returning token_id`.execute(trx);
  // Proceeds level by level: children are looked up only when their parents can create no more.
  for (let creators = root.map((row) => row.token_id); creators.length > 0;) {
    ended.push(...creators);
    const { rows } = await sql<{ token_id: string }>`
      /* revoke-access-token-access-token */
      update access_token set revoked_at = now()
      where tenant_id = ${tenantId} and made_by = any(${creators}::uuid[]) and revoked_at is null returning token_id`.execute(trx);
    creators = rows.map((row) => row.token_id);
  }
  if (ended.length > 0) {
    await sql`/* revoke-access-token-browser-session */ delete from browser_session where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`/* revoke-access-token-sign-in-link */ delete from sign_in_link where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`/* revoke-access-token-device-code */ delete from device_code where token_id = any(${ended}::uuid[])`.execute(trx);
    await sql`/* revoke-access-token-invitation */ update invitation set revoked_at = now()
      where tenant_id = ${tenantId} and made_by = any(${ended}::uuid[]) and used_at is null and revoked_at is null`.execute(trx);
  }
  return ended;
}
