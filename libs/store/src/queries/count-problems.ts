import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';

/** How many problems the files of an experiment have; those that may still go away (a cut last record) are not counted. */
export async function countProblems(trx: Kysely<Database>, tenantId: string, experimentId: string): Promise<number> {
  const { rows } = await sql<{ problems: string }>`
    select count(*) as problems from file_problem where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  return Number(rows[0]?.problems ?? 0);
}
