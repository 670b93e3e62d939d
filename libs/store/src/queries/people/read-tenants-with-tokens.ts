import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * The tenants that have a token, oldest first: the installation's own tenant, and any created
 * later. `person_workspace` and `token_route` are global.
 */
export async function readTenantsWithTokens(db: GlobalHandle): Promise<TenantId[]> {
  const rows = await db
    .selectFrom('person_workspace as w')
    .select('w.tenant_id')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('token_route as r').select('r.tenant_id').whereRef('r.tenant_id', '=', 'w.tenant_id')),
    )
    .groupBy('w.tenant_id')
    .orderBy(({ fn }) => fn.min('w.joined_at'))
    .orderBy('w.tenant_id')
    .limit(10)
    .modifyFront(sql`/* read-tenants-with-tokens */`)
    .execute();
  return rows.map((row) => row.tenant_id);
}
