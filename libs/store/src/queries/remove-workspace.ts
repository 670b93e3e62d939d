import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** What a workspace is called, and how long it keeps things. */
export interface WorkspaceSettings {
  readonly name: string;
  /** Days after the completion of a file; null: for ever. */
  readonly originalsDays: number | null;
  /** Days that lines of the audit log are kept; null: for ever. */
  readonly auditDays: number | null;
}

/** Null when it is deleted, or never was. */
export async function readWorkspace(trx: Kysely<Database>, tenantId: string): Promise<WorkspaceSettings | null> {
  const { rows } = await sql<{ name: string; originals_days: number | null; audit_days: number | null }>`
    select name, originals_days, audit_days from workspace where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
  const row = rows[0];
  return row ? { name: row.name, originalsDays: row.originals_days, auditDays: row.audit_days } : null;
}

/** Sets how long things are kept; what is undefined stays. */
export async function updateWorkspace(
  trx: Kysely<Database>,
  tenantId: string,
  { originalsDays, auditDays }: { readonly originalsDays?: number | null | undefined; readonly auditDays?: number | null | undefined },
): Promise<void> {
  await sql`update workspace set
      originals_days = case when ${originalsDays !== undefined} then ${originalsDays ?? null}::int else originals_days end,
      audit_days = case when ${auditDays !== undefined} then ${auditDays ?? null}::int else audit_days end
    where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}

/**
 * Sets the tombstones of a workspace and of everything in it, and shuts its doors: every way in but the access tokens of `personId` ends, so
 * that who asked can watch. False when it was deleted before.
 */
export async function tombstoneWorkspace(trx: Kysely<Database>, tenantId: string, personId: string): Promise<boolean> {
  const { rows } = await sql`
    update workspace set deleted_at = now() where tenant_id = ${tenantId} and deleted_at is null returning 1`.execute(trx);
  if (rows.length === 0) return false;
  await tombstoneExperiments(trx, tenantId);
  await sql`delete from token_route where tenant_id = ${tenantId} and token_id in (
    select token_id from access_token where tenant_id = ${tenantId} and person_id <> ${personId})`.execute(trx);
  // What was made from these tokens, and from those of workloads, ends too.
  await sql`update access_token set revoked_at = coalesce(revoked_at, now()) where tenant_id = ${tenantId} and person_id <> ${personId}`.execute(
    trx,
  );
  await sql`delete from workload_identity where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from browser_session where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from sign_in_link where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from invitation_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from device_code where tenant_id = ${tenantId}`.execute(trx);
  return true;
}

/** Sets the tombstones of all experiments, also of those that were made while the workspace got its own. */
export async function tombstoneExperiments(trx: Kysely<Database>, tenantId: string): Promise<void> {
  await sql`update experiment set deleted_at = now() where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}

/**
 * Removes the rows of a workspace without experiments: answers, tokens, memberships, the workspace itself, and people who are nowhere else a member.
 * All in one transaction: once the memberships are gone, nobody could say who they were. False: somebody made an experiment meanwhile, which has to go first.
 */
export async function removeWorkspaceRows(trx: Kysely<Database>, tenantId: string): Promise<boolean> {
  await sql`select 1 from workspace where tenant_id = ${tenantId} for update`.execute(trx);
  const { rows } = await sql`select 1 from experiment where tenant_id = ${tenantId} limit 1`.execute(trx);
  if (rows.length > 0) return false;
  await sql`delete from pending_segment where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from progress_batch where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from idempotency_key where tenant_id = ${tenantId}`.execute(trx);
  const { rows: members } = await sql<{ person_id: string }>`
    select person_id from workspace_member where tenant_id = ${tenantId} order by person_id`.execute(trx);
  await sql`delete from token_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from share_link_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from browser_session where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from sign_in_link where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from invitation_route where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`delete from person_workspace where tenant_id = ${tenantId}`.execute(trx);
  await sql`update deletion set requested_by = null where tenant_id = ${tenantId}`.execute(trx);
  for (const member of members) await removePerson(trx, member.person_id);
  return true;
}

/** Removes a person who is nowhere a member any more. `person` is global: its references know of other workspaces, which nobody sees from here. */
export async function removePerson(trx: Kysely<Database>, personId: string): Promise<void> {
  await sql`savepoint person`.execute(trx);
  try {
    await sql`delete from person where person_id = ${personId}`.execute(trx);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== '23503') throw error; // foreign_key_violation
    await sql`rollback to savepoint person`.execute(trx);
  }
}
