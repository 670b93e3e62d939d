import { sql } from 'kysely';
import { removeTokenRoutesOf } from './remove-token-routes.ts';
import { removePerson } from '../deletion/remove-person.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes a service account with its tokens and workloads. Its name remains on everything that it
 * created.
 */
export async function removeServiceAccount(scope: TenantScope, accountId: string): Promise<void> {
  const { trx, tenantId } = scope;
  await removeTokenRoutesOf(scope, accountId);
  await sql`/* remove-service-account-access-token */
    delete from access_token where tenant_id = ${tenantId} and person_id = ${accountId}`.execute(trx);
  await sql`/* remove-service-account-workspace-member */
    delete from workspace_member where tenant_id = ${tenantId} and person_id = ${accountId}`.execute(trx);
  await removePerson(trx, accountId);
}
