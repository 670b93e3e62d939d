import { sql, type Kysely } from 'kysely';
import { Problem } from '#model';
import type { Database } from '../database.ts';
import { nameHash } from './run-series.ts';

/**
 * The id of the run with this name, made when it is new, with its row for workers. The same name from two machines at once gives one run.
 * Null: there is no such experiment, or it was deleted. A run that was deleted is refused as `run-deleted`.
 */
export async function ensureRun(trx: Kysely<Database>, tenantId: string, experimentId: string, name: string): Promise<string | null> {
  const hash = nameHash(name);
  const find = async (): Promise<{ run_id: string | null; deleted: boolean } | undefined> => {
    const { rows } = await sql<{ run_id: string | null; deleted: boolean }>`
      select r.run_id, d.name_hash is not null as deleted from experiment e
      left join run r on r.tenant_id = e.tenant_id and r.experiment_id = e.experiment_id and r.name_hash = ${hash}
      left join deleted_run d on d.tenant_id = e.tenant_id and d.experiment_id = e.experiment_id and d.name_hash = ${hash}
      where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId} and e.deleted_at is null`.execute(trx);
    return rows[0];
  };
  const found = await find();
  if (!found) return null;
  if (found.deleted) throw runDeleted();
  if (found.run_id !== null) return found.run_id;
  const { rows } = await sql<{ run_id: string }>`
    insert into run (tenant_id, experiment_id, name, name_hash) values (${tenantId}, ${experimentId}, ${name}, ${hash})
    on conflict (tenant_id, experiment_id, name_hash) do nothing returning run_id`.execute(trx);
  const made = rows[0]?.run_id;
  // Somebody else made it meanwhile, and has committed: the insert waited for that.
  if (made === undefined) return (await find())?.run_id ?? null;
  await sql`insert into run_work (tenant_id, run_id, experiment_id) values (${tenantId}, ${made}, ${experimentId})`.execute(trx);
  return made;
}

/** The refusal of bytes for a run that was deleted: an upload that still goes on must not bring it back. */
export function runDeleted(): Problem {
  return new Problem(
    'run-deleted',
    'This run was deleted from the experiment, and its name is not taken again there. Upload it to another experiment, or under another name.',
  );
}
