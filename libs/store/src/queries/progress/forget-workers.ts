import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Removes the last numbers of all workers except these. */
export async function forgetWorkers({ trx, tenantId }: TenantScope, experimentId: ExperimentId, except: readonly string[]): Promise<void> {
  await sql`/* forget-workers */ delete from progress_heard
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and worker <> all(${[...except]}::text[])`.execute(trx);
}
