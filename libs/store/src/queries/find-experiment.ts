import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whether the tenant has this experiment, and it was not deleted. */
export async function findExperiment(trx: Kysely<Database>, tenantId: string, experimentId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('experiment')
    .select('experiment_id')
    .where('tenant_id', '=', tenantId)
    .where('experiment_id', '=', experimentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
