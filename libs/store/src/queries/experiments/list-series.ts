import { sql } from 'kysely';
import type { DataClass, ExperimentId, RunId, RunName, SeriesId, TagName, View } from '#model';
import { seenOf } from '../points/list-scalar-series.ts';
import { nameHashes } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * A series with a summary of its stored points. Counts cover all points; everything else covers
 * only effective points. Excludes the run's tail.
 */
export interface SeriesSummary {
  readonly seriesId: SeriesId;
  readonly runId: RunId;
  readonly run: RunName;
  readonly tag: TagName;
  /**
   * The lane of the files that its points come from: 0, or higher if files of the run overlap in
   * time.
   */
  readonly writer: number;
  readonly dataClass: DataClass;
  readonly listed: boolean;
  readonly plugin: string;
  readonly pluginContent: Buffer;
  readonly displayName: string;
  readonly description: string;
  readonly points: number;
  readonly supersededPoints: number;
  readonly invalidPoints: number;
  readonly mismatchedPoints: number;
  readonly roundedPoints: number;
  readonly firstStep: bigint | null;
  readonly lastStep: bigint | null;
  readonly lastWallTime: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly last: number | null;
  readonly nanCount: number;
  readonly maxLength: number | null;
}

/** Selects an experiment's series, and a page of the list. A null list means all. */
export interface SeriesListRequest {
  readonly experimentId: ExperimentId;
  readonly runs: readonly RunName[] | null;
  /** Absent: all. */
  readonly runIds?: readonly RunId[];
  readonly tags: readonly TagName[] | null;
  readonly plugins: readonly string[] | null;
  /** Whether to include twins, and series that TensorBoard's pages never show (data rule 11). */
  readonly unlisted: boolean;
  readonly limit: number;
  /** The last series (id) of the previous page. */
  readonly after: SeriesId | null;
  /** The caller's view. Null means everything. */
  readonly view: View | null;
}

/**
 * A page of an experiment's series, ordered by run name, tag (in byte order) and twin. Null if
 * `after` is not one of them.
 */
export async function listSeries({ trx, tenantId }: TenantScope, request: SeriesListRequest): Promise<SeriesSummary[] | null> {
  const { runs, tags } = seenOf(request);
  const seen = sql`(${runs === null} or r.name_hash = any(${nameHashes(runs ?? [])}::bytea[]))
      and (${tags === null} or s.tag_hash = any(${nameHashes(tags ?? [])}::bytea[]))
      and (${request.runIds === undefined} or s.run_id = any(${request.runIds ?? []}::int8[]))`;
  const place = sql`(r.name collate "C", s.tag collate "C", s.twin, s.writer)`;
  let beyond = sql`true`;
  if (request.after !== null) {
    const { rows } = await sql<{ name: RunName; tag: TagName; twin: boolean; writer: number }>`
      /* list-series */
      select r.name, s.tag, s.twin, s.writer from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
      where s.tenant_id = ${tenantId} and s.experiment_id = ${request.experimentId} and s.series_id = ${request.after}
        and ${seen}`.execute(trx);
    const last = rows[0];
    if (!last) return null;
    beyond = sql`${place} > (${last.name}::text, ${last.tag}::text, ${last.twin}::boolean, ${last.writer}::smallint)`;
  }
  const { rows } = await sql<Row>`
    /* list-series-series */
    select s.series_id, s.run_id, r.name, s.tag, s.writer, s.data_class, s.listed, s.plugin, s.plugin_content, s.display_name, s.description,
      v.points, v.superseded_points, v.invalid_points, v.mismatched_points, v.rounded_points, v.first_step, v.last_step, v.last_wall_time,
      v.min_value, v.max_value, v.last_value, v.nan_count, v.max_length
    from series s
    join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
    left join series_stats v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
    where s.tenant_id = ${tenantId} and s.experiment_id = ${request.experimentId} and r.deleted_at is null
      and (${request.unlisted}::boolean or s.listed)
      and ${seen}
      and (${request.plugins === null} or s.plugin = any(${request.plugins ?? []}::text[]))
      and ${beyond}
    order by r.name collate "C", s.tag collate "C", s.twin, s.writer
    limit ${request.limit}`.execute(trx);
  return rows.map(toSummary);
}

interface Row {
  series_id: SeriesId;
  run_id: RunId;
  name: RunName;
  tag: TagName;
  writer: number;
  data_class: DataClass;
  listed: boolean;
  plugin: string;
  plugin_content: Buffer;
  display_name: string;
  description: string;
  points: string | null;
  superseded_points: string | null;
  invalid_points: string | null;
  mismatched_points: string | null;
  rounded_points: string | null;
  first_step: string | null;
  last_step: string | null;
  last_wall_time: number | null;
  min_value: number | null;
  max_value: number | null;
  last_value: number | null;
  nan_count: string | null;
  max_length: string | null;
}

function toSummary(row: Row): SeriesSummary {
  return {
    seriesId: row.series_id,
    runId: row.run_id,
    run: row.name,
    tag: row.tag,
    writer: row.writer,
    dataClass: row.data_class,
    listed: row.listed,
    plugin: row.plugin,
    pluginContent: row.plugin_content,
    displayName: row.display_name,
    description: row.description,
    points: Number(row.points ?? 0),
    supersededPoints: Number(row.superseded_points ?? 0),
    invalidPoints: Number(row.invalid_points ?? 0),
    mismatchedPoints: Number(row.mismatched_points ?? 0),
    roundedPoints: Number(row.rounded_points ?? 0),
    firstStep: row.first_step === null ? null : BigInt(row.first_step),
    lastStep: row.last_step === null ? null : BigInt(row.last_step),
    lastWallTime: row.last_wall_time,
    min: row.min_value,
    max: row.max_value,
    last: row.last_value,
    nanCount: Number(row.nan_count ?? 0),
    maxLength: row.max_length === null ? null : Number(row.max_length),
  };
}
