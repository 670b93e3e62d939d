import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A valid token's owner and permissions. */
export interface ValidToken {
  readonly personId: string;
  readonly scopes: readonly string[];
  readonly experiments: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/**
 * Null if the token is unknown, revoked, or expired by the database's clock, which all processes
 * share. Records the token's use once an hour.
 */
export async function useAccessToken({ trx, tenantId }: TenantScope, tokenId: string): Promise<ValidToken | null> {
  const { rows } = await sql<{
    person_id: string;
    scopes: string[];
    experiments: string[] | null;
    expires_at: Date | null;
    stale: boolean;
  }>`
    /* use-access-token */
    select person_id, scopes, experiments, expires_at, coalesce(last_used_at < now() - interval '1 hour', true) as stale
    from access_token where tenant_id = ${tenantId} and token_id = ${tokenId}
      and revoked_at is null and (expires_at is null or expires_at > now())`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  if (row.stale)
    await sql`/* use-access-token-access-token */
      update access_token set last_used_at = now() where tenant_id = ${tenantId} and token_id = ${tokenId}
      and (last_used_at is null or last_used_at < now() - interval '1 hour')`.execute(trx);
  return { personId: row.person_id, scopes: row.scopes, experiments: row.experiments, expiresAt: row.expires_at };
}
