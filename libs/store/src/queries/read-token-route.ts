import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Where a token belongs, by the SHA-256 of it. `token_route` is global: this is how the tenant of a request becomes known. */
export async function readTokenRoute(db: Kysely<Database>, tokenHash: Buffer): Promise<{ tenantId: string; tokenId: string } | null> {
  const row = await db.selectFrom('token_route').select(['tenant_id', 'token_id']).where('token_hash', '=', tokenHash).executeTakeFirst();
  return row ? { tenantId: row.tenant_id, tokenId: row.token_id } : null;
}
