import { sql } from 'kysely';
import type { RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Locks the run as a worker does, after waiting for the worker that has it: afterward, nothing of
 * it is being ingested.
 */
export async function lockRun({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* lock-run */ select 1 from run_work where tenant_id = ${tenantId} and run_id = ${runId} for update`.execute(trx);
}
