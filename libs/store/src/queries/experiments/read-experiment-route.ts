import { sql } from 'kysely';
import type { ExperimentId, TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * An experiment's tenant, even if the experiment was deleted. Null if there is no such experiment.
 * `experiment_route` is global.
 */
export async function readExperimentRoute(db: GlobalHandle, experimentId: ExperimentId): Promise<TenantId | null> {
  const row = await db
    .selectFrom('experiment_route')
    .select('tenant_id')
    .where('experiment_id', '=', experimentId)
    .modifyFront(sql`/* read-experiment-route */`)
    .executeTakeFirst();
  return row?.tenant_id ?? null;
}
