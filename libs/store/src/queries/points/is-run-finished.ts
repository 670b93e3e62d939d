import { sql } from 'kysely';
import type { RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * Whether every file of the run is complete and read to its end, so that the run's tail need not
 * wait for more points.
 */
export async function isRunFinished({ trx, tenantId }: IngestScope, runId: RunId): Promise<boolean> {
  const { rows } = await sql<{ finished: boolean }>`
    /* prepared: is-run-finished */ select bool_and(completed_bytes is not null and completed_bytes = durable_offset) as finished
    from event_file where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  return rows[0]?.finished ?? false;
}
