import { sql } from 'kysely';
import type { RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Allows workers to ingest the run again. */
export async function releaseRun({ trx, tenantId }: TenantScope, runId: RunId, deletionId: string): Promise<void> {
  await sql`/* release-run */ update run_work set held_by = null
    where tenant_id = ${tenantId} and run_id = ${runId} and held_by = ${deletionId}`.execute(trx);
}

/** Clears a run's failure details, because they may name deleted data. */
export async function forgetRunFailures({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* forget-run-failures */
    update run_work set failures = 0, last_error = null where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
