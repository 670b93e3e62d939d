import { sql } from 'kysely';
import { removeTokenRoutesOf } from './remove-token-routes.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes what a workspace stores about a person who is no longer a member: tokens, stored
 * responses with their name, their addresses, and the attribution of deletions. Their ID remains on
 * experiments and in the audit log, but identifies nobody.
 */
export async function erasePersonInWorkspace(scope: TenantScope, personId: string): Promise<void> {
  const { trx, tenantId } = scope;
  await removeTokenRoutesOf(scope, personId);
  await sql`/* erase-person-in-workspace-access-token */
    delete from access_token where tenant_id = ${tenantId} and person_id = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-idempotency-key */
    delete from idempotency_key where tenant_id = ${tenantId} and response -> 'owner' ->> 'id' = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-deletion */
    update deletion set requested_by = null where tenant_id = ${tenantId} and requested_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-share-link */
    update share_link set made_by = null where tenant_id = ${tenantId} and made_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-report-link */
    update report_link set made_by = null where tenant_id = ${tenantId} and made_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-private-view */
    delete from saved_view where tenant_id = ${tenantId} and owner_id = ${personId} and not shared`.execute(trx);
  await sql`/* erase-person-in-workspace-shared-view */
    update saved_view set owner_id = null where tenant_id = ${tenantId} and owner_id = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-report-owner */
    update report set owner_id = null where tenant_id = ${tenantId} and owner_id = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-report-editor */
    update report set updated_by = null where tenant_id = ${tenantId} and updated_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-invitation */
    update invitation set used_by = null where tenant_id = ${tenantId} and used_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-audit-entry */
    update audit_entry set address = null where tenant_id = ${tenantId} and actor_id = ${personId} and address is not null`.execute(trx);
}
