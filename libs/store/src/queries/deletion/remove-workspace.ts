import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import { removeTokenRoutes } from '../people/remove-token-routes.ts';
import type { TenantScope, OperatorScope } from '../../scope.ts';

/** A workspace's name and retention periods. */
export interface WorkspaceSettings {
  readonly name: string;
  /** Days after the completion of a file; null: forever. */
  readonly originalsDays: number | null;
  /** Days that entries of the audit log are kept; null: forever. */
  readonly auditDays: number | null;
}

/** Null if it was deleted, or never existed. */
export async function readWorkspace({ trx, tenantId }: TenantScope | OperatorScope): Promise<WorkspaceSettings | null> {
  const { rows } = await sql<{ name: string; originals_days: number | null; audit_days: number | null }>`
    /* read-workspace */
    select name, originals_days, audit_days from workspace where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
  const row = rows[0];
  return row ? { name: row.name, originalsDays: row.originals_days, auditDays: row.audit_days } : null;
}

/** Sets the retention periods; undefined ones do not change. */
export async function updateWorkspace(
  { trx, tenantId }: TenantScope,
  { originalsDays, auditDays }: { readonly originalsDays?: number | null | undefined; readonly auditDays?: number | null | undefined },
): Promise<void> {
  await sql`/* update-workspace */ update workspace set
      originals_days = case when ${originalsDays !== undefined} then ${originalsDays ?? null}::int else originals_days end,
      audit_days = case when ${auditDays !== undefined} then ${auditDays ?? null}::int else audit_days end
    where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}

/**
 * Sets the tombstones of a workspace and of everything in it, and ends all access except the access
 * tokens of `personId`, so that the person who requested the deletion can watch it. False if it was
 * already deleted.
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
  // Tokens created with these tokens, or with those of workloads, end too.
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
 * Sets the tombstones of all experiments, also of those created while the workspace got its own.
 */
export async function tombstoneExperiments({ trx, tenantId }: TenantScope): Promise<void> {
  await sql`/* tombstone-experiments */
    update experiment set deleted_at = now() where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}

/**
 * Removes the rows of a workspace without experiments: stored responses, tokens, memberships, the
 * workspace itself, and people who are members of no other workspace. All in one transaction:
 * without the memberships those people could not be identified. False: an experiment was created
 * meanwhile, and must be removed first.
 */
export async function removeWorkspaceRows({ trx, tenantId }: TenantScope): Promise<boolean> {
  await sql`/* remove-workspace-rows-workspace */ select 1 from workspace where tenant_id = ${tenantId} for update`.execute(trx);
  const { rows } = await sql`/* remove-workspace-rows-experiment */
    select 1 from experiment where tenant_id = ${tenantId} limit 1`.execute(trx);
  if (rows.length > 0) return false;
  await sql`/* remove-workspace-rows-pending-segment */ delete from pending_segment where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-progress-batch */ delete from progress_batch where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-idempotency-key */ delete from idempotency_key where tenant_id = ${tenantId}`.execute(trx);
  const { rows: members } = await sql<{ person_id: string }>`
    /* remove-workspace-rows-workspace-member */
    select person_id from workspace_member where tenant_id = ${tenantId} order by person_id`.execute(trx);
  await sql`/* remove-workspace-rows-token-route */ delete from token_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-share-link-route */ delete from share_link_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-browser-session */ delete from browser_session where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-sign-in-link */ delete from sign_in_link where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-invitation-route */ delete from invitation_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-delete-workspace */ delete from workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-person-workspace */ delete from person_workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`/* remove-workspace-rows-deletion */ update deletion set requested_by = null where tenant_id = ${tenantId}`.execute(trx);
  for (const member of members) await removePerson(trx, member.person_id);
  return true;
}

/**
 * Removes a person who is no longer a member of any workspace. `person` is global: foreign keys
 * detect memberships of other workspaces, which are not visible here.
 */
export async function removePerson(trx: GlobalHandle, personId: string): Promise<void> {
  await sql`/* save-person */ savepoint person`.execute(trx);
  try {
    await sql`/* remove-person */ delete from person where person_id = ${personId}`.execute(trx);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== '23503') throw error; // foreign_key_violation
    await sql`/* restore-person */ rollback to savepoint person`.execute(trx);
  }
}
