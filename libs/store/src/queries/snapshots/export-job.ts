import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName } from '#model';

/** `queued` and `running` are unfinished. */
export type ExportState = 'queued' | 'running' | 'finished' | 'failed';

/** An export that the service writes. */
export interface ExportJob {
  readonly exportId: string;
  readonly experimentId: ExperimentId;
  readonly format: string;
  /** By name. Null means all. */
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** The snapshot that contains the result, or that the result is being written to. */
  readonly snapshot: string | null;
  readonly state: ExportState;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly attempts: number;
  readonly points: number;
  readonly totalPoints: number;
  readonly files: number;
  /** Size of the files or, for a raw export in progress, the bytes written so far. */
  readonly bytes: number;
  /** The total of a raw export once a worker has started it; otherwise, 0. */
  readonly totalBytes: number;
  /** A problem code. */
  readonly problem: string | null;
}

/** The columns of an {@link ExportRow}, from `export_job j`. */
export const exportColumns = sql`j.export_id, j.experiment_id, j.format, j.runs, j.tags, j.snapshot, j.state, j.requested_at, j.finished_at, j.expires_at,
  j.attempts, j.points, j.total_points, j.files, j.bytes, j.total_bytes, j.problem`;

/** True for an export that has not expired. */
export const isKept = sql`(j.expires_at is null or j.expires_at > now())`;

/** A row of {@link exportColumns}. */
export interface ExportRow {
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

/** Converts a row to an export. */
export function toExportJob(row: ExportRow): ExportJob {
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
