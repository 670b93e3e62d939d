import { sql } from 'kysely';
import { removeTokenRoutes } from '../people/remove-token-routes.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Sets the tombstones of a workspace and of everything in it, and ends all access except the access
 * tokens of `personId`, so that the person who requested the deletion can watch it. Returns false
 * if the workspace was already deleted.
 */
export async function tombstoneWorkspace(scope: TenantScope, personId: string): Promise<boolean> {
  const { trx, tenantId } = scope;
  const { rows } = await sql`
    /* tombstone-workspace */
    update workspace set deleted_at = now() where tenant_id = ${tenantId} and deleted_at is null returning 1`.execute(trx);
  if (rows.length === 0) return false;
  await tombstoneExperiments(scope);
  const { rows: tokens } = await sql<{ token_id: string }>`
    /* tombstone-workspace-access-token */
    select token_id from access_token where tenant_id = ${tenantId} and person_id <> ${personId}`.execute(trx);
  await removeTokenRoutes(scope, tokens);
  // Also ends tokens created with these tokens or with workload tokens.
  await sql`/* tombstone-workspace-update-access-token */ update access_token set revoked_at = now()
    where tenant_id = ${tenantId} and person_id <> ${personId} and revoked_at is null`.execute(trx);
  await sql`/* tombstone-workspace-workload-identity */ delete from workload_identity where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* tombstone-workspace-browser-session */ delete from browser_session where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* tombstone-workspace-sign-in-link */ delete from sign_in_link where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* tombstone-workspace-invitation-route */ delete from invitation_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* tombstone-workspace-device-code */ delete from device_code where tenant_id = ${tenantId}`.execute(trx);
  return true;
}

/**
 * Sets the tombstones of all experiments, including those created while the workspace's tombstone
 * was being set.
 */
export async function tombstoneExperiments({ trx, tenantId }: TenantScope): Promise<void> {
  await sql`/* tombstone-experiments */
    update experiment set deleted_at = now() where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}
