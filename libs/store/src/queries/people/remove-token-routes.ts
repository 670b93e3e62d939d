import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Invalidates tokens. `token_route` is global: callers look up the IDs first, because a statement
 * that changes a global table cannot also read tenant tables if these are distributed.
 */
export async function removeTokenRoutes({ trx, tenantId }: TenantScope, tokens: readonly { readonly token_id: string }[]): Promise<void> {
  if (tokens.length === 0) return;
  const ids = tokens.map((token) => token.token_id);
  await sql`/* remove-token-routes */
    delete from token_route where tenant_id = ${tenantId} and token_id = any(${ids}::uuid[])`.execute(trx);
}

/** Invalidates all of a person's tokens in this workspace. */
export async function removeTokenRoutesOf(scope: TenantScope, personId: string): Promise<void> {
  const { trx, tenantId } = scope;
  const { rows } = await sql<{ token_id: string }>`
    /* remove-token-routes-of */
    select token_id from access_token where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await removeTokenRoutes(scope, rows);
}
