import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName } from '#model';
import type { AnyScope, TenantScope } from '../../scope.ts';

/** `queued` and `running` are unfinished. */
export type ExportState = 'queued' | 'running' | 'finished' | 'failed';

/** An export that the service writes. */
export interface ExportJob {
  readonly exportId: string;
  readonly experimentId: ExperimentId;
  readonly format: string;
  /** By name; null: all. */
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** The snapshot that the result is in, or is written to. */
  readonly snapshot: string | null;
  readonly state: ExportState;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly attempts: number;
  readonly points: number;
  readonly totalPoints: number;
  readonly files: number;
  /** Of the files; of a raw export that runs, what is written so far. */
  readonly bytes: number;
  /** Of a raw export, once it runs; otherwise 0. */
  readonly totalBytes: number;
  /** A problem code. */
  readonly problem: string | null;
}

/** An export to be created. */
export interface NewExportJob {
  readonly exportId: string;
  readonly experimentId: ExperimentId;
  readonly format: string;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** 32 bytes: of what determines the content. */
  readonly contentKey: Buffer;
}

const columns = sql`j.export_id, j.experiment_id, j.format, j.runs, j.tags, j.snapshot, j.state, j.requested_at, j.finished_at, j.expires_at,
  j.attempts, j.points, j.total_points, j.files, j.bytes, j.total_bytes, j.problem`;
const isKept = sql`(j.expires_at is null or j.expires_at > now())`;

/** Creates an export. The caller holds {@link lockExports}. */
export async function insertExportJob({ trx, tenantId }: TenantScope, job: NewExportJob): Promise<ExportJob> {
  const { rows } = await sql<Row>`/* insert-export-job */
    insert into export_job as j (tenant_id, export_id, experiment_id, format, runs, tags, content_key)
    values (${tenantId}, ${job.exportId}, ${job.experimentId}, ${job.format}, ${job.runs && [...job.runs]}::text[],
      ${job.tags && [...job.tags]}::text[], ${job.contentKey})
    returning ${columns}`.execute(trx);
  return toJob(rows[0]!);
}

/** Until the transaction ends, no other one creates an export in this workspace. */
export async function lockExports({ trx, tenantId }: TenantScope): Promise<void> {
  await sql`/* lock-exports */ select pg_advisory_xact_lock(hashtextextended(${tenantId}, 38))`.execute(trx);
}

/** The export of the same content that finished or may still finish; null: there is none. */
export async function findExportOfContent(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  contentKey: Buffer,
): Promise<ExportJob | null> {
  const { rows } = await sql<Row>`/* find-export-of-content */
    select ${columns} from export_job j
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and j.content_key = ${contentKey} and j.state <> 'failed' and ${isKept}
    order by j.requested_at desc limit 1`.execute(trx);
  return rows[0] ? toJob(rows[0]) : null;
}

/** An export that has not expired; null: there is none with this id. */
export async function findExportJob(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  exportId: string,
): Promise<ExportJob | null> {
  const { rows } = await sql<Row>`/* find-export-job */
    select ${columns} from export_job j
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.experiment_id = ${experimentId} and ${isKept}`.execute(trx);
  return rows[0] ? toJob(rows[0]) : null;
}

/** The exports of an experiment that have not expired, newest first. */
export async function listExportJobs({ trx, tenantId }: TenantScope, experimentId: ExperimentId, limit: number): Promise<ExportJob[]> {
  const { rows } = await sql<Row>`/* list-export-jobs */
    select ${columns} from export_job j
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and ${isKept}
    order by j.requested_at desc limit ${limit}`.execute(trx);
  return rows.map(toJob);
}

/** Exports of a workspace that are queued or running. */
export async function countUnfinishedExports({ trx, tenantId }: TenantScope): Promise<number> {
  const { rows } = await sql<{ count: string }>`/* count-unfinished-exports */
    select count(*) as count from export_job j
    where j.tenant_id = ${tenantId} and j.state in ('queued', 'running') and ${isKept}`.execute(trx);
  return Number(rows[0]!.count);
}

/**
 * Expires exports of an experiment, or one of them, at once: they are gone for readers, a worker
 * stops at its next step, and the sweeper removes their results.
 */
export async function expireExports(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  exportId: string | null = null,
): Promise<void> {
  await sql`/* expire-exports */ update export_job j set expires_at = now()
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and (${exportId}::uuid is null or j.export_id = ${exportId}) and ${isKept}`.execute(
    trx,
  );
}

/**
 * Claims an unfinished export for `leaseMs`; null: it has finished, expired, or another worker has
 * it.
 */
export async function claimExport({ trx, tenantId }: AnyScope, exportId: string, leaseMs: number): Promise<ExportJob | null> {
  const { rows } = await sql<Row>`/* claim-export */
    update export_job j set worker_until = now() + make_interval(secs => ${leaseMs / 1000}), attempts = j.attempts + 1,
      state = 'running'
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.state in ('queued', 'running') and j.worker_until <= now() and ${isKept}
    returning ${columns}`.execute(trx);
  return rows[0] ? toJob(rows[0]) : null;
}

/** Progress that a worker on an export records with each renewal of its lease. */
export interface ExportProgress {
  readonly attempt: number;
  readonly leaseMs: number;
  readonly points: number;
  readonly totalPoints: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly snapshot: string;
}

/**
 * Renews the lease; false: the export was canceled or expired, or another worker has claimed it.
 */
export async function renewExport({ trx, tenantId }: AnyScope, exportId: string, progress: ExportProgress): Promise<boolean> {
  const { rows } = await sql`/* renew-export */
    update export_job j set worker_until = now() + make_interval(secs => ${progress.leaseMs / 1000}), points = ${progress.points},
      total_points = ${progress.totalPoints}, bytes = ${progress.bytes}, total_bytes = ${progress.totalBytes}, snapshot = ${progress.snapshot}
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.attempts = ${progress.attempt} and j.state = 'running' and ${isKept}
    returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Marks an export as finished: its result is kept for `keepMs`. False: as for {@link renewExport}.
 */
export async function finishExport(
  { trx, tenantId }: AnyScope,
  exportId: string,
  done: { readonly attempt: number; readonly points: number; readonly files: number; readonly bytes: number; readonly keepMs: number },
): Promise<boolean> {
  const { rows } = await sql`/* finish-export */
    update export_job j set state = 'finished', finished_at = now(), expires_at = now() + make_interval(secs => ${done.keepMs / 1000}),
      points = ${done.points}, total_points = ${done.points}, files = ${done.files}, bytes = ${done.bytes}
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.attempts = ${done.attempt} and j.state = 'running' and ${isKept}
    returning 1`.execute(trx);
  return rows.length > 0;
}

/** Releases an export, which is retried after `retryMs`. */
export async function releaseExport({ trx, tenantId }: AnyScope, exportId: string, attempt: number, retryMs: number): Promise<void> {
  await sql`/* release-export */ update export_job j set worker_until = now() + make_interval(secs => ${retryMs / 1000}), snapshot = null
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.attempts = ${attempt} and j.state = 'running'`.execute(trx);
}

/** Marks an export as failed, which readers see for `keepMs`. */
export async function failExport(
  { trx, tenantId }: AnyScope,
  exportId: string,
  { attempt, problem, keepMs }: { readonly attempt: number; readonly problem: string; readonly keepMs: number },
): Promise<void> {
  await sql`/* fail-export */ update export_job j set state = 'failed', problem = ${problem}, snapshot = null, bytes = 0, finished_at = now(),
      expires_at = now() + make_interval(secs => ${keepMs / 1000})
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.attempts = ${attempt} and j.state = 'running' and ${isKept}`.execute(
    trx,
  );
}

/**
 * Removes at most `limit` expired exports; returns how many. Their results then have no reference.
 */
export async function removeExpiredExports({ trx, tenantId }: AnyScope, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`/* remove-expired-exports */ delete from export_job where tenant_id = ${tenantId} and export_id in (
    select export_id from export_job where tenant_id = ${tenantId} and expires_at <= now()
    order by expires_at limit ${limit} for update skip locked)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Those of the snapshots that an export refers to. */
export async function readReferredSnapshots({ trx, tenantId }: AnyScope, snapshots: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ snapshot: string }>`/* read-referred-snapshots */
    select distinct snapshot from export_job where tenant_id = ${tenantId} and snapshot = any(${[...snapshots]}::text[])`.execute(trx);
  return new Set(rows.map((row) => row.snapshot));
}

interface Row {
  export_id: string;
  experiment_id: ExperimentId;
  format: string;
  runs: RunName[] | null;
  tags: TagName[] | null;
  snapshot: string | null;
  state: ExportState;
  requested_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
  attempts: number;
  points: string;
  total_points: string;
  files: number;
  bytes: string;
  total_bytes: string;
  problem: string | null;
}

function toJob(row: Row): ExportJob {
  return {
    exportId: row.export_id,
    experimentId: row.experiment_id,
    format: row.format,
    runs: row.runs,
    tags: row.tags,
    snapshot: row.snapshot,
    state: row.state,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
    attempts: row.attempts,
    points: Number(row.points),
    totalPoints: Number(row.total_points),
    files: row.files,
    bytes: Number(row.bytes),
    totalBytes: Number(row.total_bytes),
    problem: row.problem,
  };
}
