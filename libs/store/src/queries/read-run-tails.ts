import type pg from 'pg';
import { arrayParameter, queryText, readBytes } from '../text-result.ts';

/** One block of a run's tail, undecoded. */
export interface StoredTail {
  readonly runId: string;
  readonly body: Buffer;
}

const statement = {
  name: 'read-run-tails',
  text: `select t.run_id, t.body from run_tail t where t.tenant_id = $1 and t.run_id = any($2::int8[]) order by t.run_id, t.tail_no`,
};

/** The tails of these runs, each run's oldest block first. */
export async function readRunTails(client: pg.ClientBase, tenantId: string, runIds: readonly string[]): Promise<StoredTail[]> {
  if (runIds.length === 0) return [];
  const rows = await queryText(client, statement, [tenantId, arrayParameter(runIds)]);
  return rows.map((row) => ({ runId: row[0]!, body: readBytes(row[1]!) }));
}
