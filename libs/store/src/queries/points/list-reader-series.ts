import type { DataClass, ExperimentId, RunId, RunName, SeriesId, TagName, View } from '#model';
import { queryText, readBytes, type Statement, type TextRow } from '../../text-result.ts';
import { hashArray, planFor, seenOf, textArray } from './list-scalar-series.ts';
import type { Snapshot } from '../../scope.ts';

/**
 * A listed series as reported to readers of TensorBoard's data provider contract. Excludes the
 * run's tail.
 */
export interface ReaderSeries {
  readonly seriesId: SeriesId;
  readonly runId: RunId;
  readonly run: RunName;
  readonly tag: TagName;
  /**
   * The lane of the files that its points come from: 0, or higher if files of the run overlap in
   * time.
   */
  readonly writer: number;
  readonly pluginContent: Buffer;
  readonly displayName: string;
  readonly description: string;
  /** Range of the effective points. Null if there are none. */
  readonly maxStep: bigint | null;
  readonly maxWallTime: number | null;
  /** For blob sequences: the largest number of blobs in one point. */
  readonly maxLength: number | null;
}

/** Selects an experiment's listed series. A null list selects all; an empty list selects none. */
export interface ReaderSeriesFilter {
  readonly experimentId: ExperimentId;
  readonly plugin: string;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** The caller's view. Null means everything. */
  readonly view: View | null;
}

function statementFor(dataClass: DataClass, from: string, columns: string): Statement {
  return {
    name: `list-reader-series-${dataClass}`,
    text: `
select s.series_id, s.run_id, r.name, s.tag, s.plugin_content, s.display_name, s.description, p.max_step, p.max_wall, p.max_length, s.writer
from series s
join run r on r.tenant_id = $1 and r.run_id = s.run_id
cross join lateral (
  select ${columns}
  from ${from} v
  where v.tenant_id = $1 and v.series_id = s.series_id and not v.superseded
) p
where s.tenant_id = $1 and s.experiment_id = $2 and r.deleted_at is null and s.data_class = '${dataClass}' and s.listed and s.plugin = $3
  and ($4::text[] is null or r.name = any($4)) and ($5::bytea[] is null or s.tag_hash = any($5))
order by r.name collate "C", s.tag collate "C", s.writer`,
  };
}

const ofValues = 'max(v.step) as max_step, max(v.wall_time) as max_wall';
const statements: Readonly<Record<DataClass, Statement>> = {
  scalar: statementFor('scalar', 'scalar_chunk', 'max(v.last_step) as max_step, max(v.max_wall) as max_wall, null as max_length'),
  tensor: statementFor('tensor', 'tensor_value', `${ofValues}, null as max_length`),
  blob_sequence: statementFor('blob_sequence', 'blob_sequence_value', `${ofValues}, max(cardinality(v.blob_sha256)) as max_length`),
};

/**
 * The matching listed series of this class and plugin, ordered by run name and tag in byte order.
 */
export async function listReaderSeries(
  { client, tenantId }: Snapshot,
  dataClass: DataClass,
  filter: ReaderSeriesFilter,
): Promise<ReaderSeries[]> {
  const { runs, tags } = seenOf(filter);
  const hashes = tags && hashArray(tags);
  if (runs?.length === 0 || tags?.length === 0) return [];
  const rows = await queryText<SeriesRow>(client, planFor(statements[dataClass], { runs, tags }), [
    tenantId,
    filter.experimentId,
    filter.plugin,
    runs === null ? null : textArray([...new Set(runs)]),
    hashes instanceof Promise ? await hashes : hashes,
  ]);
  return rows.map(toSeries);
}

type SeriesRow = readonly [SeriesId, RunId, ...TextRow];

function toSeries(row: SeriesRow): ReaderSeries {
  return {
    seriesId: row[0],
    runId: row[1],
    run: row[2]!,
    tag: row[3]!,
    pluginContent: readBytes(row[4]!),
    displayName: row[5]!,
    description: row[6]!,
    maxStep: row[7] === null ? null : BigInt(row[7]!),
    maxWallTime: row[8] === null ? null : Number(row[8]),
    maxLength: row[9] === null ? null : Number(row[9]),
    writer: Number(row[10]),
  };
}
