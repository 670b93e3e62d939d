import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** The first tenants that have a token, for installations of one workspace. `token_route` is global. */
export async function readTenantsWithTokens(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('token_route').select('tenant_id').distinct().orderBy('tenant_id').limit(10).execute();
  return rows.map((row) => row.tenant_id);
}
