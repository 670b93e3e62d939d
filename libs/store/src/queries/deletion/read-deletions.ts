import { sql, type RawBuilder } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { NewDeletion } from './insert-deletion.ts';
import type { TenantScope } from '../../scope.ts';

/** A deletion and its progress. */
export interface Deletion extends NewDeletion {
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly removed: DeletionCounts;
  /** How many files are kept without the deleted points, and their bytes. */
  readonly rewritten: { readonly files: number; readonly bytes: number };
  /** Objects whose rows are removed, but that still exist. */
  readonly objectsLeft: number;
}

/**
 * The amount of data that a deletion has removed. `points` includes superseded points, and `bytes`
 * includes objects and row bodies.
 */
export interface DeletionCounts {
  readonly runs: number;
  readonly files: number;
  readonly series: number;
  readonly points: number;
  readonly objects: number;
  readonly bytes: number;
}

/** One deletion. Null if the tenant has no deletion with this ID. */
export async function readDeletion(scope: TenantScope, deletionId: string): Promise<Deletion | null> {
  return (await read(scope, sql`d.deletion_id = ${deletionId}`, 1))[0] ?? null;
}

/** The latest `limit` deletions of an experiment (null means the whole workspace), newest first. */
export async function listDeletions(scope: TenantScope, experimentId: ExperimentId | null, limit: number): Promise<Deletion[]> {
  return read(scope, experimentId === null ? sql`true` : sql`d.experiment_id = ${experimentId}`, limit);
}

/** The progress of an experiment's deletions. */
export interface DeletionProgress {
  readonly asked: number;
  readonly finished: number;
  readonly points: number;
}

/** The total progress of an experiment's deletions, as three numbers that only increase. */
export async function readDeletionProgress({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<DeletionProgress> {
  const { rows } = await sql<{ asked: string; finished: string; points: string }>`
    /* read-deletion-progress */
    select count(*) as asked, count(d.finished_at) as finished, coalesce(sum(d.points), 0) as points
    from deletion d where d.tenant_id = ${tenantId} and d.experiment_id = ${experimentId}`.execute(trx);
  const { asked, finished, points } = rows[0]!;
  return { asked: Number(asked), finished: Number(finished), points: Number(points) };
}

async function read({ trx, tenantId }: TenantScope, which: RawBuilder<unknown>, limit: number): Promise<Deletion[]> {
  const { rows } = await sql<DeletionRow & { objects_left: string }>`
    /* read-deletions */
    select ${deletionColumns},
      (select count(*) from object_to_delete o where o.tenant_id = ${tenantId} and o.deletion_id = d.deletion_id) as objects_left
    from deletion d where d.tenant_id = ${tenantId} and ${which}
    order by d.requested_at desc, d.deletion_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({ ...toDeletion(row), objectsLeft: Number(row.objects_left) }));
}

/** The columns of {@link DeletionRow}, from `deletion d`. */
export const deletionColumns = sql`d.deletion_id, d.kind, d.experiment_id, d.run_ids, d.tag_hashes, d.from_step, d.to_step, d.through_epoch,
  d.requested_by, d.requested_at, d.started_at, d.finished_at, d.runs, d.files, d.series, d.points, d.objects, d.bytes,
  d.rewritten_files, d.rewritten_bytes`;

export interface DeletionRow {
  deletion_id: string;
  kind: NewDeletion['kind'];
  experiment_id: ExperimentId | null;
  run_ids: RunId[] | null;
  tag_hashes: Buffer[] | null;
  from_step: string | null;
  to_step: string | null;
  through_epoch: string | null;
  requested_by: string | null;
  requested_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  runs: string;
  files: string;
  series: string;
  points: string;
  objects: string;
  bytes: string;
  rewritten_files: string;
  rewritten_bytes: string;
}

export function toDeletion(row: DeletionRow): Omit<Deletion, 'objectsLeft'> {
  return {
    deletionId: row.deletion_id,
    kind: row.kind,
    experimentId: row.experiment_id,
    runIds: row.run_ids,
    tagHashes: row.tag_hashes,
    fromStep: row.from_step === null ? null : BigInt(row.from_step),
    toStep: row.to_step === null ? null : BigInt(row.to_step),
    throughEpoch: row.through_epoch === null ? null : Number(row.through_epoch),
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    removed: {
      runs: Number(row.runs),
      files: Number(row.files),
      series: Number(row.series),
      points: Number(row.points),
      objects: Number(row.objects),
      bytes: Number(row.bytes),
    },
    rewritten: { files: Number(row.rewritten_files), bytes: Number(row.rewritten_bytes) },
  };
}
