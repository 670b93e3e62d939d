import { sql } from 'kysely';
import type { DataClass, ExperimentId, SeriesId, TagName, View } from '#model';
import { nameHashes } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** A tag of an experiment, across its runs. */
export interface TagSummary {
  /** One of the tag's series, which identifies the tag's position in the list. */
  readonly seriesId: SeriesId;
  readonly tag: TagName;
  readonly plugin: string;
  readonly dataClass: DataClass;
  /** Runs with this tag. */
  readonly runs: number;
  readonly displayName: string;
  readonly description: string;
  /** Scalar points that a restart superseded. */
  readonly supersededPoints: number;
}

/** Selects a page of an experiment's tags. */
export interface TagListRequest {
  readonly experimentId: ExperimentId;
  readonly limit: number;
  /** A series of the previous page's last tag. */
  readonly after: SeriesId | null;
  /** The caller's view. Null means everything. */
  readonly view: View | null;
}

/**
 * A page of an experiment's listed tags, ordered by tag (in byte order), plugin and data class.
 * Null if `after` is not one of its series.
 */
export async function listTags({ trx, tenantId }: TenantScope, request: TagListRequest): Promise<TagSummary[] | null> {
  const { experimentId, limit, after, view } = request;
  const seen = sql`(${!view?.runs} or r.name_hash = any(${nameHashes(view?.runs ?? [])}::bytea[]))
      and (${!view?.tags} or s.tag_hash = any(${nameHashes(view?.tags ?? [])}::bytea[]))`;
  let beyond = sql`true`;
  if (after !== null) {
    const { rows } = await sql<{ tag: TagName; plugin: string; data_class: DataClass }>`
      /* list-tags-series */
      select s.tag, s.plugin, s.data_class from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
      where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.series_id = ${after} and ${seen}`.execute(trx);
    const last = rows[0];
    if (!last) return null;
    beyond = sql`(s.tag collate "C", s.plugin collate "C", s.data_class collate "C") > (${last.tag}::text, ${last.plugin}::text, ${last.data_class}::text)`;
  }
  const { rows } = await sql<Row>`
    /* list-tags-read-series */
    select min(s.series_id) as series_id, s.tag, s.plugin, s.data_class, count(distinct s.run_id) as runs, max(s.display_name) as display_name, max(s.description) as description,
      sum(v.superseded_points) as superseded_points
    from series s
    join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
    left join series_stats v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
    where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.listed and r.deleted_at is null and ${seen} and ${beyond}
    group by s.tag, s.plugin, s.data_class
    order by s.tag collate "C", s.plugin collate "C", s.data_class collate "C"
    limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    seriesId: row.series_id,
    tag: row.tag,
    plugin: row.plugin,
    dataClass: row.data_class,
    runs: Number(row.runs),
    displayName: row.display_name,
    description: row.description,
    supersededPoints: Number(row.superseded_points ?? 0),
  }));
}

interface Row {
  series_id: SeriesId;
  tag: TagName;
  plugin: string;
  data_class: DataClass;
  runs: string;
  display_name: string;
  description: string;
  superseded_points: string | null;
}
