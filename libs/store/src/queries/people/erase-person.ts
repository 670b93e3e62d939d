import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import { removeTokenRoutesOf } from './remove-token-routes.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Removes what a workspace stores about a person who is no longer a member: tokens, stored
 * responses with their name, their addresses, the attribution of deletions. Their id stays on
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
  await sql`/* erase-person-in-workspace-private-view */
    delete from saved_view where tenant_id = ${tenantId} and owner_id = ${personId} and not shared`.execute(trx);
  await sql`/* erase-person-in-workspace-shared-view */
    update saved_view set owner_id = null where tenant_id = ${tenantId} and owner_id = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-invitation */
    update invitation set used_by = null where tenant_id = ${tenantId} and used_by = ${personId}`.execute(trx);
  await sql`/* erase-person-in-workspace-audit-entry */
    update audit_entry set address = null where tenant_id = ${tenantId} and actor_id = ${personId} and address is not null`.execute(trx);
}

/** A person's ways to sign in, and sign-ins in progress. All are global. */
const waysIn = ['person_identity', 'oidc_attempt', 'device_code', 'code_attempt'] as const;

/**
 * Removes a person's name, every session and sign-in link, and the list of their workspaces. All of
 * these are global.
 */
export async function erasePersonRow(db: GlobalHandle, personId: string): Promise<void> {
  await sql`/* erase-person-row-browser-session */ delete from browser_session where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-sign-in-link */ delete from sign_in_link where person_id = ${personId}`.execute(db);
  for (const table of waysIn) await sql`/* erase-person-rows */ delete from ${sql.table(table)} where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-person-workspace */ delete from person_workspace where person_id = ${personId}`.execute(db);
  await sql`/* erase-person-row-person */
    update person set display_name = 'Erased person', erased_at = now() where person_id = ${personId}`.execute(db);
}

/** The person; null if there is none with this id, or they were erased. `person` is global. */
export async function readPerson(db: GlobalHandle, personId: string): Promise<{ name: string; createdAt: Date } | null> {
  const { rows } = await sql<{ display_name: string; created_at: Date }>`
    /* read-person */
    select display_name, created_at from person where person_id = ${personId} and erased_at is null`.execute(db);
  return rows[0] ? { name: rows[0].display_name, createdAt: rows[0].created_at } : null;
}
