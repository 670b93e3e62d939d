import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** The owner of a token, revoked or not; null if there is no such token. */
export async function readTokenOwner({ trx, tenantId }: TenantScope, tokenId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('access_token')
    .select('person_id')
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .modifyFront(sql`/* read-token-owner */`)
    .executeTakeFirst();
  return row?.person_id ?? null;
}

/**
 * Revokes a token and everything created with it: tokens, sessions, links, codes and open
 * invitations, and what those created in turn. Caches elsewhere are at most five seconds old.
 * Returns the ids of the revoked tokens; empty: it was revoked before. Nothing can be created with
 * the token meanwhile: see {@link holdAccessToken}.
 */
export async function revokeAccessToken({ trx, tenantId }: TenantScope, tokenId: string): Promise<string[]> {
  const ended: string[] = [];
  const { rows: root } = await sql<{ token_id: string }>`
    /* revoke-access-token */
    update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and token_id = ${tokenId} and revoked_at is null returning token_id`.execute(trx);
  // Level by level: children are looked up once their parents can create no more.
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

/**
 * Prevents the revocation of a token until the transaction ends, so that a revocation sees what the
 * transaction creates. False: it was revoked. A token of another workspace is ignored.
 */
export async function holdAccessToken({ trx, tenantId }: TenantScope, tokenId: string): Promise<boolean> {
  const { rows } = await sql<{ revoked: boolean }>`
    /* hold-access-token */
    select revoked_at is not null as revoked from access_token where tenant_id = ${tenantId} and token_id = ${tokenId} for share`.execute(
    trx,
  );
  return rows[0]?.revoked !== true;
}
