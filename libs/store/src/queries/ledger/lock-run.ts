import { sql } from 'kysely';
import type { RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Waits for the worker that has the run, and then locks it as a worker does. Afterward, nothing in
 * the run is being ingested.
 */
export async function lockRun({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* lock-run */ select 1 from run_work where tenant_id = ${tenantId} and run_id = ${runId} for update`.execute(trx);
}
