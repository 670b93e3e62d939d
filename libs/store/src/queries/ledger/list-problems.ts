import { type RawBuilder, sql } from 'kysely';
import type { ExperimentId, FileId, FileProblemReason, RunName, TenantId, View } from '#model';
import { readAnnouncement } from '../experiments/list-files.ts';
import { andFileInView } from '../experiments/view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** A part of a file that was skipped or that ends the file. */
export interface StoredProblem {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly file: string;
  readonly version: number;
  readonly offset: number;
  readonly number: number;
  /** A `FileProblemReason`, or a reason that a newer version stored. */
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
  readonly endsFile: boolean;
}

/** Position after which a page of problems begins. */
export interface ProblemPlace {
  readonly fileId: FileId;
  readonly offset: number;
  readonly number: number;
}

/**
 * A page of the problems in the files that `view` shows, ordered by file (in the order of
 * announcement), offset and number. Null if the experiment does not have the file in `after`.
 * Includes one kind of problem that is not stored: a truncated last record in a complete file
 * (`truncated-record`, data rule 8). This problem disappears when the file grows.
 */
export async function listProblems(
  scope: TenantScope,
  experimentId: ExperimentId,
  limit: number,
  after: ProblemPlace | null,
  view: View | null,
): Promise<StoredProblem[] | null> {
  const { trx, tenantId } = scope;
  let beyond = sql`true`;
  if (after !== null) {
    const announced = await readAnnouncement(scope, experimentId, after.fileId);
    if (announced === null) return null;
    beyond = sql`(f.created_at, p.file_id, p."offset", p.problem_no)
      > (${announced}::timestamptz, ${after.fileId}::int8, ${after.offset}::int8, ${after.number}::integer)`;
  }
  const { rows } = await sql<Row>`
    /* list-problems */
    select p.file_id, r.name as run, f.name as file, f.version, p."offset", p.problem_no, p.reason, p.detail, p.bytes, p.ends_file
    from (${allProblems(tenantId, experimentId)}) p
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = p.file_id
    join run r on r.tenant_id = ${tenantId} and r.run_id = f.run_id and r.deleted_at is null
    where ${beyond} ${andFileInView(view)}
    order by f.created_at, p.file_id, p."offset", p.problem_no
    limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    fileId: row.file_id,
    run: row.run,
    file: row.file,
    version: row.version,
    offset: Number(row.offset),
    number: row.problem_no,
    reason: row.reason,
    detail: row.detail,
    bytes: Number(row.bytes),
    endsFile: row.ends_file,
  }));
}

/**
 * The number of problems in the files that `view` shows, and the number of bytes in truncated
 * records at the ends of complete files.
 */
export async function countProblems(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  view: View | null,
): Promise<{ problems: number; truncatedBytes: number }> {
  const { rows } = await sql<{ problems: string; truncated_bytes: string }>`
    /* count-problems */
    select count(*) as problems, coalesce(sum(p.bytes) filter (where p.problem_no = ${truncatedNumber}::integer), 0) as truncated_bytes
    from (${allProblems(tenantId, experimentId)}) p
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = p.file_id
    join run r on r.tenant_id = ${tenantId} and r.run_id = f.run_id and r.deleted_at is null ${andFileInView(view)}`.execute(trx);
  return { problems: Number(rows[0]?.problems ?? 0), truncatedBytes: Number(rows[0]?.truncated_bytes ?? 0) };
}

/**
 * The number of problems in the files that `view` shows, up to `max`. If fewer are stored, each
 * file of the experiment is also checked for a truncated last record, which takes Postgres 17 ms
 * for 20,000 files.
 */
export async function countProblemsUpTo(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  view: View | null,
  max: number,
): Promise<number> {
  const { rows } = await sql<{ problems: string }>`
    /* count-problems-up-to */
    select count(*) as problems from (
      select from (${allProblems(tenantId, experimentId)}) p
      join event_file f on f.tenant_id = ${tenantId} and f.file_id = p.file_id
      join run r on r.tenant_id = ${tenantId} and r.run_id = f.run_id and r.deleted_at is null ${andFileInView(view)}
      limit ${max}
    ) found`.execute(trx);
  return Number(rows[0]?.problems ?? 0);
}

function allProblems(tenantId: TenantId, experimentId: ExperimentId): RawBuilder<unknown> {
  return sql`
    select file_id, "offset", problem_no, reason, detail, bytes, ends_file
    from file_problem where tenant_id = ${tenantId} and experiment_id = ${experimentId}
    union all
    select d.file_id, g.parsed_offset, ${truncatedNumber}::integer, ${sql.lit(truncatedReason)},
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset, true
    from event_file d
    join file_progress g on g.tenant_id = ${tenantId} and g.file_id = d.file_id
    where d.tenant_id = ${tenantId} and d.experiment_id = ${experimentId} and d.completed_bytes is not null
      and not g.ended and g.parsed_offset < d.completed_bytes
      and not exists (
        select from pending_segment s
        where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.run_id = d.run_id and s.file_id = d.file_id)`;
}

const truncatedReason: FileProblemReason = 'truncated-record';

/** Sorts after all stored problems at the same offset. */
const truncatedNumber = 2_147_483_647;

interface Row {
  file_id: FileId;
  run: RunName;
  file: string;
  version: number;
  offset: string;
  problem_no: number;
  reason: string;
  detail: string;
  bytes: string;
  ends_file: boolean;
}
