import { sql } from 'kysely';
import { type ExperimentId, Problem, type RunId, type RunName } from '#model';
import { nameHash } from '../points/run-series.ts';
import { retryIds } from '../../row-ids.ts';
import type { TenantScope } from '../../scope.ts';

/** The file that a run is needed for. */
export interface AnnouncedFile {
  readonly name: string;
  /**
   * Whether the upload started after a run with this name was deleted. If so, it may reuse the
   * name.
   */
  readonly afterDeletion: boolean;
}

/**
 * Returns the ID of the run with this name, and creates the run with its `run_work` row if it is
 * new. If two machines use the same name at the same time, they get the same run. Returns null if
 * the experiment does not exist or was deleted. If a run with this name was deleted, its files are
 * rejected as `run-deleted`, so that an ongoing upload does not restore them. Another file, or an
 * upload that started later, creates a new run. Without `file`, the name is rejected.
 */
export async function ensureRun(
  { trx, tenantId, rowIds }: TenantScope,
  experimentId: ExperimentId,
  name: RunName,
  file: AnnouncedFile | null = null,
): Promise<RunId | null> {
  const hash = nameHash(name);
  const find = async (): Promise<FoundRun | undefined> => {
    const { rows } = await sql<FoundRun>`
      /* find-run */
      select r.run_id, extract(epoch from now() - d.deleted_at) * 1000 as deleted_ms_ago,
        ${file !== null}::boolean and not ${file && nameHash(file.name)}::bytea = any(d.file_hashes) as is_other_file
      from experiment e
      left join run r on r.tenant_id = e.tenant_id and r.experiment_id = e.experiment_id and r.name_hash = ${hash}
      left join deleted_run d on d.tenant_id = e.tenant_id and d.experiment_id = e.experiment_id and d.name_hash = ${hash}
      where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId} and e.deleted_at is null`.execute(trx);
    return rows[0];
  };
  const found = await find();
  if (!found) return null;
  if (found.deleted_ms_ago !== null) {
    if (file?.afterDeletion === true) {
      await sql`/* ensure-run-deleted-run */
        delete from deleted_run where tenant_id = ${tenantId} and experiment_id = ${experimentId} and name_hash = ${hash}`.execute(trx);
    } else if (found.is_other_file !== true) throw runDeleted(Number(found.deleted_ms_ago));
  }
  if (found.run_id !== null) return found.run_id;
  return retryIds(rowIds, experimentId, async () => {
    const { rows } = await sql<{ run_id: RunId }>`
      /* ensure-run */
      insert into run (tenant_id, run_id, experiment_id, name, name_hash) overriding system value
      values (${tenantId}, ${rowIds.take(experimentId)}, ${experimentId}, ${name}, ${hash})
      on conflict do nothing returning run_id`.execute(trx);
    const made = rows[0]?.run_id;
    if (made === undefined) {
      // The insert waited for another transaction, which has created the run and committed.
      const other = await find();
      return other ? (other.run_id ?? undefined) : null;
    }
    await sql`/* ensure-run-run-work */
      insert into run_work (tenant_id, run_id, experiment_id) values (${tenantId}, ${made}, ${experimentId})`.execute(trx);
    return made;
  });
}

interface FoundRun {
  readonly run_id: RunId | null;
  /** Null if no run with this name was deleted. */
  readonly deleted_ms_ago: string | null;
  readonly is_other_file: boolean | null;
}

/**
 * The error for bytes of a deleted run. `msAgo` is how long ago the run was deleted, so that a
 * client can tell whether it started before the deletion.
 */
export function runDeleted(msAgo: number | null = null): Problem {
  return new Problem(
    'run-deleted',
    'This run was deleted from the experiment. An upload that started earlier does not restore it. Start the upload again to upload its files again.',
    msAgo === null ? {} : { extra: { deleted_ms_ago: Math.floor(msAgo) } },
  );
}
