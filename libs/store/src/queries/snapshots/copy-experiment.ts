import { sql } from 'kysely';
import type { ExperimentId, RunId, View } from '#model';
import { countCopiedUsage } from './count-copied-usage.ts';
import { shareContentObjects } from '../deletion/lock-content-objects.ts';
import { renameTails } from '../ledger/rename-tails.ts';
import { chunkColumns } from '../points/chunk-columns.ts';
import { factsInView, nameHashes, runInView, sessionInView } from '../experiments/view-sql.ts';
import { idsPerPrefix, retryIds } from '../../row-ids.ts';
import type { TenantScope } from '../../scope.ts';
import { isUniqueViolation } from '../../store-error.ts';

/** The source experiment, the empty target experiment, and the part to copy. */
export interface ExperimentCopy {
  readonly from: ExperimentId;
  readonly to: ExperimentId;
  readonly view: View;
}

/**
 * How long one statement of a copy may take. A copy shows one moment, so a single statement writes
 * all rows of the experiment. This takes longer than other requests' statements may take. A
 * workspace creates one copy at a time.
 */
const maxStatementMs = 300_000;

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
const tails = ['tail_no', 'part', 'level', 'points', 'created_at', 'first_series', 'last_series', 'body'];

const plainFacts = ['recorded_at', 'display_name', 'job_type', 'labels'];
const namingFacts = ['command', 'git_commit', 'git_dirty', 'git_branch', 'git_remote', 'folder', 'person', 'host'];

const named = (columns: readonly string[]) => sql.raw(columns.join(', '));
const of = (alias: string, columns: readonly string[]) => sql.raw(columns.map((name) => `${alias}.${name}`).join(', '));

/**
 * Copies the rows of an experiment as of one moment, and returns the epoch published at that
 * moment: everything up to it is in the copy. A single statement sees one snapshot while ingest
 * continues. The copy shares blobs and large tensors with the source, by content, and concurrent
 * removals neither lose nor miss any objects. Event files are copied as names and counts only;
 * their bytes remain only in the source.
 */
export async function copyExperiment(scope: TenantScope, copy: ExperimentCopy): Promise<number> {
  const { trx, rowIds } = scope;
  const { from, to } = copy;
  await sql`/* bound-copy */ select set_config('statement_timeout', ${String(maxStatementMs)}, true)`.execute(trx);
  // Must come first, as a separate statement: from now on, no object that the visible rows refer to
  // is removed.
  await shareContentObjects(scope);
  await sql`/* copy-experiment-savepoint */ savepoint copied_rows`.execute(trx);
  const copied = await retryIds(rowIds, to, async () => {
    try {
      return await copyRows(scope, copy);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await sql`/* copy-experiment-rollback */ rollback to savepoint copied_rows`.execute(trx);
      return undefined;
    }
  });
  const epoch = Number(copied.epoch);
  await renameTails(scope, copied.tails ?? []);
  await countCopiedUsage(scope, to);
  await freeze(scope, { from, to, epoch, bytes: copied.bytes });
  return epoch;
}

/**
 * Copies all rows. Afterward, tails still refer to the series and files of the source. Fails if an
 * ID is already in use.
 */
async function copyRows(scope: TenantScope, { from, to, view }: ExperimentCopy): Promise<CopiedRows> {
  const { trx, tenantId } = scope;
  // The ids of runs, files and series each start here, in the order of their sources.
  const firstId = scope.rowIds.take(to, idsPerPrefix);
  const session = sessionInView(view);
  const seesFacts = factsInView(view);
  const facts = seesFacts.naming ? [...plainFacts, ...namingFacts] : plainFacts;
  const tagHashes = view.tags && nameHashes(view.tags);
  const ofSeries = (values: string) => sql`
      from series_map m join ${sql.raw(values)} v on v.tenant_id = ${tenantId} and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id`;
  const { rows } = await sql<CopiedRows>`
    /* copy-experiment */
    with run_map as materialized (
      select r.run_id as source_run, ${firstId}::bigint - 1 + row_number() over (order by r.created_at, r.run_id) as run_id,
        r.name, r.name_hash, r.created_at, r.labels, r.notes, r.archived_at, r.display_name, r.labels_set
      from run r where r.tenant_id = ${tenantId} and r.experiment_id = ${from} and r.deleted_at is null and ${runInView(tenantId, view)}
    ),
    new_run as (
      insert into run (tenant_id, run_id, experiment_id, name, name_hash, created_at, labels, notes, archived_at, display_name, labels_set)
      overriding system value
      select ${tenantId}::uuid, run_id, ${to}::text, name, name_hash, created_at, labels, notes, archived_at, display_name, labels_set from run_map
      returning 1
    ),
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
    file_map as materialized (
      select e.file_id as source_file, ${firstId}::bigint - 1 + row_number() over (order by e.created_at, e.file_id) as file_id, m.run_id,
        e.name, e.name_hash, e.version, e.durable_offset, e.crc32c, e.completed_bytes, e.sha256, e.completed_at, e.created_at
      from run_map m join event_file e on e.tenant_id = ${tenantId} and e.run_id = m.source_run
    ),
    new_file as (
      insert into event_file (tenant_id, file_id, experiment_id, run_id, name, name_hash, version, durable_offset, crc32c, completed_bytes, sha256,
        completed_at, created_at, dropped_bytes) overriding system value
      select ${tenantId}::uuid, file_id, ${to}::text, run_id, name, name_hash, version, durable_offset, crc32c, completed_bytes, sha256,
        completed_at, created_at, durable_offset
      from file_map
      returning 1
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
    series_map as materialized (
      select s.series_id as source_series, ${firstId}::bigint - 1 + row_number() over (order by m.run_id, s.series_id) as series_id, m.run_id,
        s.tag, s.tag_hash, s.twin, s.writer, s.data_class, s.listed, s.plugin, s.plugin_content, s.display_name, s.description
      from run_map m join series s on s.tenant_id = ${tenantId} and s.run_id = m.source_run
      where ${tagHashes === null} or s.tag_hash = any(${tagHashes ?? []}::bytea[])
    ),
    new_series as (
      insert into series (tenant_id, series_id, experiment_id, run_id, tag, tag_hash, twin, writer, data_class, listed, plugin, plugin_content, display_name,
        description) overriding system value
      select ${tenantId}::uuid, series_id, ${to}::text, run_id, tag, tag_hash, twin, writer, data_class, listed, plugin, plugin_content, display_name,
        description
      from series_map
      returning 1
    ),
    new_stats as (
      insert into series_stats (tenant_id, series_id, ${named(stats)})
      select ${tenantId}::uuid, m.series_id, ${of('v', stats)}
      from series_map m join series_stats v on v.tenant_id = ${tenantId} and v.series_id = m.source_series
      returning 1
    ),
    new_chunk as (
      insert into scalar_chunk (tenant_id, series_id, file_id, ${named(chunks)})
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('v', chunks)} ${ofSeries('scalar_chunk')}
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
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('v', tensors)} ${ofSeries('tensor_value')}
      returning 1
    ),
    new_blob as (
      insert into blob_sequence_value (tenant_id, series_id, file_id, ${named(blobs)})
      select ${tenantId}::uuid, m.series_id, f.file_id, ${of('v', blobs)} ${ofSeries('blob_sequence_value')}
      returning 1
    ),
    new_tail as (
      insert into run_tail (tenant_id, run_id, ${named(tails)})
      select ${tenantId}::uuid, m.run_id, ${of('t', tails)}
      from run_map m join run_tail t on t.tenant_id = ${tenantId} and t.run_id = m.source_run
      returning run_id
    )
    select coalesce(v.published_epoch, a.acknowledged_epoch) as epoch, (select coalesce(sum(f.durable_offset), 0) from file_map f) as bytes,
      (select json_agg(json_build_array(m.source_run::text, m.run_id::text)) from run_map m where m.run_id in (select run_id from new_tail)) as tails
    from experiment_epoch a
    left join progress_view v on v.tenant_id = ${tenantId} and v.experiment_id = a.experiment_id
    where a.tenant_id = ${tenantId} and a.experiment_id = ${from}`.execute(trx);
  return rows[0]!;
}

/** Records the copy's source, and marks the copy as completely visible. */
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

interface CopiedRows {
  epoch: string;
  bytes: string;
  /** The source and the copy of each run that has a tail. Null if no run has one. */
  tails: [source: RunId, copy: RunId][] | null;
}
