import { sql } from 'kysely';
import type { AnyScope } from '../../scope.ts';
import { exportColumns, type ExportJob, isKept, type ExportRow, toExportJob } from './export-job.ts';

/**
 * Claims an unfinished export for `leaseMs`. Returns null if the export has finished or expired, or
 * if another worker has claimed it.
 */
export async function claimExport({ trx, tenantId }: AnyScope, exportId: string, leaseMs: number): Promise<ExportJob | null> {
  const { rows } = await sql<ExportRow>`/* claim-export */
    update export_job j set worker_until = now() + make_interval(secs => ${leaseMs / 1000}), attempts = j.attempts + 1,
      state = 'running'
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.state in ('queued', 'running') and j.worker_until <= now() and ${isKept}
    returning ${exportColumns}`.execute(trx);
  return rows[0] ? toExportJob(rows[0]) : null;
}

/** An export's progress, which its worker records with each lease renewal. */
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
 * Renews the lease. Returns false if the export was canceled or expired, or if another worker has
 * claimed it.
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
 * Marks an export as finished. Its result is kept for `keepMs`. Returns false in the same cases as
 * {@link renewExport}.
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

/** Releases an export. A worker retries it after `retryMs`. */
export async function releaseExport({ trx, tenantId }: AnyScope, exportId: string, attempt: number, retryMs: number): Promise<void> {
  await sql`/* release-export */ update export_job j set worker_until = now() + make_interval(secs => ${retryMs / 1000}), snapshot = null
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.attempts = ${attempt} and j.state = 'running'`.execute(trx);
}

/** Marks an export as failed. Readers can see the failure for `keepMs`. */
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
