import { type RawBuilder, sql } from 'kysely';
import type { RunId, TagName, TenantId } from '#model';
import { nameHash } from '../points/run-series.ts';
import { newestFirst, type StoredSummary, type TagValues } from './tag-values.ts';

/** The summary of a live run's scalar series, if newer than `series_stats`. */
export interface LiveStats {
  readonly runId: RunId;
  readonly tag: TagName;
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly lastStep: number | null;
  /** The steps of `min` and `max` if they are newer than `series_stats`; otherwise, null. */
  readonly minStep: number | null;
  readonly maxStep: number | null;
}

/** A number that summarizes a scalar series. */
export type Summary = StoredSummary | 'minStep' | 'maxStep';

/** The tag's summary in run `b`, from the statistics or `live`, whichever is newer. */
export function seriesValue(
  tenantId: TenantId,
  summary: Summary,
  tag: TagName,
  live: readonly LiveStats[],
  tags: TagValues | undefined,
): RawBuilder<unknown> {
  const stored =
    summary === 'minStep' || summary === 'maxStep'
      ? storedStep(tenantId, summary, tag)
      : (tags?.valueOf(summary, tag) ?? storedSummary(tenantId, summary, tag));
  const newer = live.filter((entry) => entry.tag === tag && entry[summary] !== null);
  if (newer.length === 0) return stored;
  const ids = newer.map((entry) => entry.runId);
  const values = newer.map((entry) => entry[summary]);
  return sql`coalesce((select l.value from unnest(${ids}::int8[], ${values}::float8[]) as l(run_id, value) where l.run_id = b.run_id), ${stored})`;
}

/**
 * The step of the smallest or largest value across all writers. If values are equal, the earliest
 * step.
 */
function storedStep(tenantId: TenantId, summary: 'minStep' | 'maxStep', tag: TagName): RawBuilder<unknown> {
  const [step, value, direction] = summary === 'minStep' ? ['min_step', 'min_value', 'asc'] : ['max_step', 'max_value', 'desc'];
  return sql`(
    select c.${sql.raw(step)}::float8 from series s join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = s.series_id and not c.superseded
    where s.tenant_id = ${tenantId} and s.run_id = b.run_id and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar'
      and c.${sql.raw(value)} is not null
    order by c.${sql.raw(value)} ${sql.raw(direction)}, c.${sql.raw(step)} limit 1)`;
}

function storedSummary(tenantId: TenantId, summary: StoredSummary, tag: TagName): RawBuilder<unknown> {
  const column = sql.raw(
    { last: 'v.last_value', min: 'min(v.min_value)', max: 'max(v.max_value)', lastStep: 'v.last_step::float8' }[summary],
  );
  const order = summary === 'last' || summary === 'lastStep' ? sql`order by ${newestFirst} limit 1` : sql``;
  return sql`(
    select ${column} from series s join series_stats v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
    where s.tenant_id = ${tenantId} and s.run_id = b.run_id and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar' ${order})`;
}
