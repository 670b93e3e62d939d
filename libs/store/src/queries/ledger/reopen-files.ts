import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { acknowledgedChanges, receiveWorker } from '#progress';
import { advanceEpoch } from './advance-epoch.ts';
import { lostReason, quarantinedReason, readingFailsReason } from './quarantine-record.ts';
import type { OperatorScope } from '../../scope.ts';

/** The result of reopening. */
export interface Reopened {
  readonly files: number;
  /** How many bytes of these files are pending again. */
  readonly bytes: number;
  /** How many files remain ended because their bytes are no longer kept. */
  readonly notKept: number;
  /** How many runs with ended files are currently held by a point deletion. They do not change. */
  readonly heldRuns: number;
}

const reasons = [lostReason, readingFailsReason];

/**
 * Allows workers to continue reading an experiment's files that ended because the service could not
 * read their stored bytes (`stored-bytes-lost`, `reading-fails`). The bytes after each file's last
 * complete record become pending again, in a new epoch. Published data remains published, and
 * readers can wait for the new epoch. Removes the problem and the bytes counted as rejected because
 * of it, and retries a record that was quarantined when reading failed. Returns null if there is no
 * such experiment.
 */
export async function reopenFiles(scope: OperatorScope, experimentId: ExperimentId): Promise<Reopened | null> {
  const { trx, tenantId } = scope;
  const { rows: experiments } = await sql`/* reopen-files-experiment */ select from experiment
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and deleted_at is null`.execute(trx);
  if (experiments.length === 0) return null;
  // Locks runs as a worker does, so that no worker reads them at the same time. For a held run, the
  // deletion has already established that nothing is left to read.
  const { rows: runs } = await sql<{ run_id: RunId; held: boolean }>`
    /* reopen-files-run-work */
    select w.run_id, w.held_by is not null as held
    from run_work w join run r on r.tenant_id = ${tenantId} and r.run_id = w.run_id and r.deleted_at is null
    where w.tenant_id = ${tenantId} and w.experiment_id = ${experimentId} and exists (
      select from file_problem b where b.tenant_id = ${tenantId} and b.experiment_id = ${experimentId} and b.run_id = w.run_id
        and b.ends_file and b.reason = any(${reasons}))
    order by w.run_id for update of w`.execute(trx);
  const free = runs.filter(({ held }) => !held).map((row) => row.run_id);
  const heldRuns = runs.length - free.length;
  // Only the files of locked runs, because files of other runs may have ended in the meantime.
  const { rows: ended } = await sql<{ file_id: FileId; kept: boolean }>`
    /* reopen-files-event-file */
    select f.file_id, f.dropped_bytes <= p.parsed_offset as kept
    from event_file f
    join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id and p.ended
    join run r on r.tenant_id = ${tenantId} and r.run_id = f.run_id and r.deleted_at is null
    where f.tenant_id = ${tenantId} and f.experiment_id = ${experimentId} and f.run_id = any(${free}::bigint[]) and exists (
      select from file_problem b where b.tenant_id = ${tenantId} and b.file_id = f.file_id and b.ends_file and b.reason = any(${reasons}))
    order by f.file_id for no key update of f`.execute(trx);
  const files = ended.filter(({ kept }) => kept).map((row) => row.file_id);
  const notKept = ended.length - files.length;
  if (files.length === 0) return { files: 0, bytes: 0, notKept, heldRuns };
  await sql`/* reopen-files-file-progress */ update file_progress p set ended = false,
      rejected_bytes = greatest(0, p.rejected_bytes - greatest(0, coalesce((select min(s."offset") from pending_segment s
        where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.run_id = p.run_id and s.file_id = p.file_id),
        f.durable_offset) - p.parsed_offset))
    from event_file f
    where p.tenant_id = ${tenantId} and p.file_id = any(${files}::bigint[]) and f.tenant_id = ${tenantId} and f.file_id = p.file_id`.execute(
    trx,
  );
  await sql`/* reopen-files-file-problem */ delete from file_problem q using file_problem b
    where q.tenant_id = ${tenantId} and q.file_id = any(${files}::bigint[]) and q.reason = ${quarantinedReason}
      and b.tenant_id = ${tenantId} and b.file_id = q.file_id and b."offset" = q."offset" and b.reason = ${readingFailsReason}`.execute(
    trx,
  );
  await sql`/* reopen-files-delete-file-problem */ delete from file_problem
    where tenant_id = ${tenantId} and file_id = any(${files}::bigint[]) and ends_file and reason = any(${reasons})`.execute(trx);
  await sql`/* reopen-files-update-run-work */ update run_work w set failures = 0, batch_bytes = null, last_error = null, retry_at = now()
    where w.tenant_id = ${tenantId} and w.run_id in (
      select f.run_id from event_file f where f.tenant_id = ${tenantId} and f.file_id = any(${files}::bigint[]))`.execute(trx);
  const epoch = await advanceEpoch(scope, experimentId, { acknowledged: 0, stored: 0 });
  return { files: files.length, bytes: await pendAgain(scope, experimentId, files, epoch), notKept, heldRuns };
}

/**
 * Adds the unread bytes of these files to the pending segments, and records them in the epoch's
 * batch. Returns the number of bytes.
 */
async function pendAgain(
  { trx, tenantId }: OperatorScope,
  experimentId: ExperimentId,
  files: readonly FileId[],
  epoch: number,
): Promise<number> {
  const { rows } = await sql<{ segments: string; bytes: string }>`/* pend-again-pending-segment */ with again as (
      insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
      select ${tenantId}::uuid, ${experimentId}::text, p.run_id, s.file_id, s."offset", s.length, ${epoch}::bigint
      from segment s join file_progress p on p.tenant_id = ${tenantId} and p.file_id = s.file_id
      where s.tenant_id = ${tenantId} and s.file_id = any(${[...files]}::bigint[]) and s.epoch is not null
        and s."offset" + s.length > p.parsed_offset
      on conflict do nothing returning length)
    select count(*) as segments, coalesce(sum(length), 0) as bytes from again`.execute(trx);
  const changes = JSON.stringify(acknowledgedChanges(epoch, Number(rows[0]!.segments)));
  await sql`/* pend-again-progress-batch */ insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
    values (${tenantId}, ${experimentId}, ${receiveWorker}, ${epoch}, ${changes}::json)`.execute(trx);
  return Number(rows[0]!.bytes);
}
