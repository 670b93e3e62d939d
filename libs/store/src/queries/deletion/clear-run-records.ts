import { sql } from 'kysely';
import type { RunId, TagName } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Removes the tag from the problems recorded for unreadable records. */
export async function blankProblems({ trx, tenantId }: TenantScope, runId: RunId, tag: TagName): Promise<void> {
  await sql`/* blank-problems */ update file_problem set detail = replace(detail, ${tag}, '(deleted)')
    where tenant_id = ${tenantId} and run_id = ${runId} and position(${tag} in detail) > 0`.execute(trx);
}

/**
 * Clears a run's hparams session data: its start (hyperparameters and group) or its end (status).
 */
export async function clearRunSession({ trx, tenantId }: TenantScope, runId: RunId, part: 'start' | 'end'): Promise<void> {
  if (part === 'end')
    await sql`/* clear-run-session-run-facts */
      update run_facts set status = null, status_time = null where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  const change = part === 'start' ? sql`hparams = null, group_name = null` : sql`status = 'unknown'`;
  await sql`/* clear-run-session-run-state */
    update run_state set ${change} where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}

/** Removes the facts that a run recorded about itself, except its status. */
export async function clearRunFacts({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* clear-run-facts */
    update run_facts set recorded_at = null, display_name = null, job_type = null, labels = '{}', command = null, git_commit = null,
      git_dirty = null, git_branch = null, git_remote = null, folder = null, person = null, host = null
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
