import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A token for display. Its secret is not stored. */
export interface AccessTokenSummary {
  readonly tokenId: string;
  readonly personId: string;
  readonly person: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly experiments: readonly string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Selects a page of tokens. */
export interface TokenPage {
  /** Null means all people in the workspace. */
  readonly personId: string | null;
  /** The page begins after this token. */
  readonly after: string | null;
  readonly limit: number;
}

/** Valid tokens, newest first. */
export async function listAccessTokens(
  { trx, tenantId }: TenantScope,
  { personId, after, limit }: TokenPage,
): Promise<AccessTokenSummary[]> {
  const { rows } = await sql<{
    token_id: string;
    person_id: string;
    display_name: string;
    name: string;
    hint: string;
    scopes: string[];
    experiments: string[] | null;
    created_at: Date;
    expires_at: Date | null;
    last_used_at: Date | null;
  }>`/* list-access-tokens */
    select t.token_id, t.person_id, p.display_name, t.name, t.hint, t.scopes, t.experiments, t.created_at, t.expires_at, t.last_used_at
    from access_token t join person p on p.person_id = t.person_id
    where t.tenant_id = ${tenantId} and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
      and (${personId}::uuid is null or t.person_id = ${personId}::uuid)
      and (${after}::uuid is null or (t.created_at, t.token_id) < (
        select a.created_at, a.token_id from access_token a where a.tenant_id = ${tenantId} and a.token_id = ${after}::uuid))
    order by t.created_at desc, t.token_id desc limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    tokenId: row.token_id,
    personId: row.person_id,
    person: row.display_name,
    name: row.name,
    hint: row.hint,
    scopes: row.scopes,
    experiments: row.experiments,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** How many valid tokens a person has. */
export async function countAccessTokens({ trx, tenantId }: TenantScope, personId: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`/* count-access-tokens */ select count(*)::int as tokens from access_token
    where tenant_id = ${tenantId} and person_id = ${personId} and revoked_at is null and (expires_at is null or expires_at > now())`.execute(
    trx,
  );
  return rows[0]!.tokens;
}
