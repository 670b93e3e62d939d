import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whether the tenant has this experiment, and it was not deleted. */
export async function findExperiment(trx: Kysely<Database>, tenantId: string, experimentId: string): Promise<boolean> {
  const { rows } = await sql`/* prepared: find-experiment */
    select from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId} and deleted_at is null`.execute(trx);
  return rows.length > 0;
}
