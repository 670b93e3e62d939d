import { sql } from 'kysely';
import type { ExperimentId, RunId, View } from '#model';
import { copyTails } from './copy-tails.ts';
import { countCopiedUsage } from './count-copied-usage.ts';
import { shareContentObjects } from './referred-objects.ts';
import { chunkColumns } from './scalar-chunks.ts';
import { factsInView, nameHashes, runInView, sessionInView } from './view-sql.ts';
import type { TenantScope } from '../scope.ts';

/** The source experiment, the empty target experiment, and what to copy. */
export interface ExperimentCopy {
  readonly from: ExperimentId;
  readonly to: ExperimentId;
  readonly view: View;
}

const chunks = chunkColumns.filter((name) => !['tenant_id', 'series_id', 'file_id'].includes(name));
const rollups = [
  'level',
  'first_step',
  'last_step',
  'points',
  'chunks',
  'cells512',
  'cells64',
  'points_before',
  'chunks_before',
  'cells512_before',
  'cells64_before',
  'first_value',
  'last_value',
  'min_value',
  'max_value',
  'min_step',
  'max_step',
  'first_wall',
];
const stats = [
  'points',
  'superseded_points',
  'invalid_points',
  'mismatched_points',
  'rounded_points',
  'first_step',
  'last_step',
  'last_wall_time',
  'min_value',
  'max_value',
  'last_value',
  'nan_count',
  'max_length',
];
const place = ['ordinal', 'record_offset', 'step', 'wall_time', 'superseded'];
const tensors = [...place, 'dtype', 'shape', 'bytes', 'body', 'object_key'];
const blobs = [...place, 'blob_sha256', 'blob_bytes'];

const plainFacts = ['recorded_at', 'display_name', 'job_type', 'labels'];
const namingFacts = ['command', 'git_commit', 'git_dirty', 'git_branch', 'git_remote', 'folder', 'person', 'host'];

const named = (columns: readonly string[]) => sql.raw(columns.join(', '));
const of = (alias: string, columns: readonly string[]) => sql.raw(columns.map((name) => `${alias}.${name}`).join(', '));

/**
 * Copies the rows of an experiment as of one moment, and returns the epoch published at that
 * moment: everything up to it is in the copy. A single statement gives one snapshot, whatever is
 * ingested meanwhile; blobs and large tensors are shared with the source by content, and concurrent
 * removals neither lose nor miss any. Event files are copied as names and counts only: their bytes
 * stay with the source.
 */
export async function copyExperiment(scope: TenantScope, { from, to, view }: ExperimentCopy): Promise<number> {
  const { trx, tenantId } = scope;
  // Must come first, as a separate statement: from here on no object is removed that the visible
  // rows refer to.
  await shareContentObjects(scope);
  const session = sessionInView(view);
  const seesFacts = factsInView(view);
  const facts = seesFacts.naming ? [...plainFacts, ...namingFacts] : plainFacts;
  const tagHashes = view.tags && nameHashes(view.tags);
  const ofSeries = sql`series_map m join file_map f on f.source_run = m.source_run`;
  const { rows } = await sql<CopiedRow>`
    /* copy-experiment */
    with source as (
      select r.run_id, r.name, r.name_hash, r.created_at, r.labels, r.notes, r.archived_at, r.display_name, r.labels_set from run r
      where r.tenant_id = ${tenantId} and r.experiment_id = ${from} and r.deleted_at is null and ${runInView(tenantId, view)}
    ),
    new_run as (
      insert into run (tenant_id, experiment_id, name, name_hash, created_at, labels, notes, archived_at, display_name, labels_set)
      select ${tenantId}::uuid, ${to}::text, name, name_hash, created_at, labels, notes, archived_at, display_name, labels_set from source order by run_id
      returning run_id, name_hash
    ),
    run_map as (select o.run_id as source_run, n.run_id from source o join new_run n on n.name_hash = o.name_hash),
    new_state as (
      insert into run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams)
      select ${tenantId}::uuid, m.run_id, ${to}::text, s.events, s.start_time, s.last_time, ${session.status}, ${session.group}, ${session.hparams}
      from run_map m join run_state s on s.tenant_id = ${tenantId} and s.run_id = m.source_run
      left join run_facts f on f.tenant_id = ${tenantId} and f.run_id = m.source_run
      returning 1
    ),
    new_facts as (
      insert into run_facts (tenant_id, run_id, experiment_id, ${named(facts)})
      select ${tenantId}::uuid, m.run_id, ${to}::text, ${of('f', facts)}
      from run_map m join run_facts f on f.tenant_id = ${tenantId} and f.run_id = m.source_run
      where f.recorded_at is not null and ${seesFacts.plain}
      returning 1
    ),
    new_file as (
      insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version, durable_offset, crc32c, completed_bytes, sha256,
        completed_at, created_at, dropped_bytes)
      select ${tenantId}::uuid, ${to}::text, m.run_id, e.name, e.name_hash, e.version, e.durable_offset, e.crc32c, e.completed_bytes, e.sha256,
        e.completed_at, e.created_at, e.durable_offset
      from run_map m join event_file e on e.tenant_id = ${tenantId} and e.run_id = m.source_run order by e.file_id
      returning file_id, run_id, name_hash, version, durable_offset
    ),
    file_map as (
      select e.file_id as source_file, n.file_id, m.source_run, m.run_id
      from run_map m join event_file e on e.tenant_id = ${tenantId} and e.run_id = m.source_run
      join new_file n on n.run_id = m.run_id and n.name_hash = e.name_hash and n.version = e.version
    ),
    new_progress as (
      insert into file_progress (tenant_id, file_id, run_id, experiment_id, parsed_offset, needs_offset, records, rejected_bytes, ended,
        unverified_records, first_wall_time, last_wall_time, head_crc32c, replaced, copy_of)
      select ${tenantId}::uuid, m.file_id, m.run_id, ${to}::text, p.parsed_offset, p.needs_offset, p.records, p.rejected_bytes, p.ended,
        p.unverified_records, p.first_wall_time, p.last_wall_time, p.head_crc32c, p.replaced, o.file_id
      from file_map m join file_progress p on p.tenant_id = ${tenantId} and p.file_id = m.source_file
      left join file_map o on o.source_file = p.copy_of
      returning 1
    ),
    new_problem as (
      insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
      select ${tenantId}::uuid, m.file_id, p."offset", p.problem_no, m.run_id, ${to}::text, p.reason, p.detail, p.bytes, p.ends_file
      from file_map m join file_problem p on p.tenant_id = ${tenantId} and p.file_id = m.source_file
      where ${tagHashes === null}
      returning 1
    ),
    source_series as (
      select s.*, m.run_id as new_run_id from run_map m join series s on s.tenant_id = ${tenantId} and s.run_id = m.source_run
      where ${tagHashes === null} or s.tag_hash = any(${tagHashes ?? []}::bytea[])
    ),
    new_series as (
      insert into series (tenant_id, experiment_id, run_id, tag, tag_hash, twin, writer, data_class, listed, plugin, plugin_content, display_name, description)
      select ${tenantId}::uuid, ${to}::text, new_run_id, tag, tag_hash, twin, writer, data_class, listed, plugin, plugin_content, display_name, description
      from source_series order by series_id
      returning series_id, run_id, tag_hash, twin, writer
    ),
    series_map as (
      select o.series_id as source_series, n.series_id, o.run_id as source_run
      from source_series o join new_series n on n.run_id = o.new_run_id and n.tag_hash = o.tag_hash and n.twin = o.twin and n.writer = o.writer
    ),
    new_stats as (
      insert into series_stats (tenant_id, series_id, ${named(stats)})
      select ${tenantId}::uuid, m.series_id, ${of('v', stats)}
      from series_map m join series_stats v on v.tenant_id = ${tenantId} and v.series_id = m.source_series
      returning 1
    ),
    new_chunk as (
      insert into scalar_chunk (tenant_id, series_id, file_id, ${named(chunks)})
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('c', chunks)}
      from ${ofSeries} join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = m.source_series and c.file_id = f.source_file
      returning 1
    ),
    new_rollup as (
      insert into scalar_rollup (tenant_id, series_id, ${named(rollups)})
      select ${tenantId}::uuid, m.series_id, ${of('l', rollups)}
      from series_map m join scalar_rollup l on l.tenant_id = ${tenantId} and l.series_id = m.source_series
      returning 1
    ),
    new_tensor as (
      insert into tensor_value (tenant_id, series_id, file_id, ${named(tensors)})
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('t', tensors)}
      from ${ofSeries} join tensor_value t on t.tenant_id = ${tenantId} and t.series_id = m.source_series and t.file_id = f.source_file
      returning 1
    ),
    new_blob as (
      insert into blob_sequence_value (tenant_id, series_id, file_id, ${named(blobs)})
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('b', blobs)}
      from ${ofSeries} join blob_sequence_value b on b.tenant_id = ${tenantId} and b.series_id = m.source_series and b.file_id = f.source_file
      returning 1
    )
    select p.epoch, (select coalesce(sum(n.durable_offset), 0) from new_file n) as bytes,
      t.source_run, t.run_id, t.tail_no, t.part, t.level, t.created_at, t.body
    from (
      select coalesce(v.published_epoch, a.acknowledged_epoch) as epoch
      from experiment_epoch a
      left join progress_view v on v.tenant_id = ${tenantId} and v.experiment_id = a.experiment_id
      where a.tenant_id = ${tenantId} and a.experiment_id = ${from}
    ) p
    left join (
      select m.source_run, m.run_id, t.tail_no, t.part, t.level, t.created_at, t.body
      from run_map m join run_tail t on t.tenant_id = ${tenantId} and t.run_id = m.source_run
    ) t on true
    order by t.run_id, t.tail_no, t.part`.execute(trx);
  const epoch = Number(rows[0]!.epoch);
  await copyTails(scope, rows);
  await countCopiedUsage(scope, to);
  await freeze(scope, { from, to, epoch, bytes: rows[0]!.bytes });
  return epoch;
}

/** Marks the copy with its source, and as completely visible. */
async function freeze(
  { trx, tenantId }: TenantScope,
  { from, to, epoch, bytes }: { from: ExperimentId; to: ExperimentId; epoch: number; bytes: string },
): Promise<void> {
  await sql`/* freeze-experiment */ update experiment set snapshot_of = ${from}, snapshot_epoch = ${epoch}
    where tenant_id = ${tenantId} and experiment_id = ${to}`.execute(trx);
  await sql`/* freeze-experiment-epoch */ update experiment_epoch set acknowledged_epoch = ${epoch}, acknowledged_bytes = ${bytes}
    where tenant_id = ${tenantId} and experiment_id = ${to}`.execute(trx);
  await sql`/* freeze-progress-view */ update progress_view set published_epoch = ${epoch}, changes = '[]'::json
    where tenant_id = ${tenantId} and experiment_id = ${to}`.execute(trx);
}

/** A block of a tail; without one, only the other columns are set. */
interface CopiedRow {
  epoch: string;
  bytes: string;
  source_run: RunId | null;
  run_id: RunId | null;
  tail_no: string | null;
  part: number | null;
  level: number | null;
  created_at: Date | null;
  body: Buffer | null;
}
