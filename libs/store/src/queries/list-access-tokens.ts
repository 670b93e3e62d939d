import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** A token as it is shown: its secret is nowhere. */
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

/** Tokens that still work, the newest first: of one person, or with null of everybody in the workspace. */
export async function listAccessTokens(
  trx: Kysely<Database>,
  tenantId: string,
  { personId, limit }: { readonly personId: string | null; readonly limit: number },
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
  }>`select t.token_id, t.person_id, p.display_name, t.name, t.hint, t.scopes, t.experiments, t.created_at, t.expires_at, t.last_used_at
    from access_token t join person p on p.person_id = t.person_id
    where t.tenant_id = ${tenantId} and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
      and (${personId}::uuid is null or t.person_id = ${personId}::uuid)
    order by t.created_at desc, t.token_id limit ${limit}`.execute(trx);
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
