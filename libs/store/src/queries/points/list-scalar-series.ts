import { type ExperimentId, type RunId, type RunName, seenNames, type SeriesId, type TagName, type View } from '#model';
import { arrayParameter, queryText, type Statement, type TextRow } from '../../text-result.ts';
import { nameHash } from './run-series.ts';
import type { Snapshot } from '../../scope.ts';
import { pauseIfLong } from '#admission';

/** Selects an experiment's scalar series. */
export interface ScalarSeriesFilter {
  readonly experimentId: ExperimentId;
  /** Null selects all. An empty list selects none. */
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  readonly plugin: string | null;
  /** Whether to include series that are not listed (data rule 11). */
  readonly unlisted: boolean;
  /** Both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** The caller's view. Null means everything. */
  readonly view: View | null;
}

/**
 * A scalar series, and the content of its effective chunks in the requested step range. Excludes
 * the run's tail.
 */
export interface ScalarSeries {
  readonly seriesId: SeriesId;
  readonly runId: RunId;
  readonly run: RunName;
  readonly tag: TagName;
  /**
   * The lane of the files that its points come from: 0, or higher if files of the run overlap in
   * time.
   */
  readonly writer: number;
  /**
   * Determined from whole chunks, so these steps may be outside the range. Null if no chunk is in
   * the range.
   */
  readonly firstStep: bigint | null;
  readonly lastStep: bigint | null;
  /** Also determined from whole chunks, so it is at least the number of points in the range. */
  readonly points: number;
  readonly chunks: number;
  readonly cells512: number;
  readonly cells64: number;
  /** How many chunks contain an end of the range. They are read as points. */
  readonly cutChunks: number;
  /**
   * How many chunks have a step range too wide for the arithmetic of the rollup queries. They are
   * also read as points.
   */
  readonly wideChunks: number;
  /** How many of the chunks are covered by rows of `scalar_rollup` inside the range. */
  readonly rolledChunks: number;
  /**
   * Whether any effective chunk of the series, in the range or not, contains NaN or an infinity.
   */
  readonly hasNotFinite: boolean;
}

/**
 * Chunks that span more steps than this (2^62) are read as points, because differences between
 * their steps may overflow int8. Both sides are halved so that the comparison itself cannot
 * overflow.
 */
export const wideChunk = '(c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952';

/**
 * The chunks `c` that overlap a range, for a FROM clause. Effective chunks do not overlap each
 * other, so the first such chunk is the last chunk that starts before the range. One index probe
 * finds it. The probe is separate (`offset 0`), because under row level security only leakproof
 * comparisons become index conditions. With a COALESCE, this comparison would not qualify, and all
 * chunks of the series would be read.
 */
export function overlapping(series: string, from: string, to: string): string {
  return `(select coalesce((select max(e.first_step) from scalar_chunk e where e.tenant_id = $1 and e.series_id = ${series} and not e.superseded and e.first_step <= ${from}), ${from}) as first_step offset 0) b,
    lateral (
      select c.* from scalar_chunk c
      where c.tenant_id = $1 and c.series_id = ${series} and not c.superseded and c.first_step >= b.first_step and c.first_step <= ${to} and c.last_step >= ${from}
      offset 0
    ) c`;
}

/** Chunks `c` that the index `scalar_chunk_not_finite` finds. Few chunks have such values. */
export const notFinite = `not c.superseded and (c.nan_count > 0 or c.max_value = 'Infinity' or c.min_value = '-Infinity')`;

/** The totals over the chunks `c`. */
const counts = `min(c.first_step) first_step, max(c.last_step) last_step, sum(c.count) points, count(*) chunks,
    sum((c.count + 511) / 512) cells512, sum((c.count + 63) / 64) cells64,
    count(*) filter (where c.first_step < $7 or c.last_step > $8) cut, count(*) filter (where ${wideChunk}) wide, 0::int8 rolled`;

/**
 * For a short series read from its start, as nearly all series are. The query below would take
 * twice as long.
 */
const plain = 'e.series_id is null and $7 = (-9223372036854775808)::int8';

/**
 * The counts of a long series come from its level 1 rollups, which contain the totals before them.
 * `e` is the first row that ends in the range: it contains the start of the range or is the first
 * row inside. `l` is the last row that ends in the range. The part between them is computed by
 * subtraction; the chunks to the left and right are counted.
 */
const statement = {
  name: 'list-scalar-series',
  text: `
select s.series_id, s.run_id, r.name, s.tag, coalesce(f.first_step, v.first_step), coalesce(f.last_step, v.last_step), coalesce(f.points, v.points), coalesce(v.chunks, f.chunks),
  coalesce(f.cells512, v.cells512), coalesce(f.cells64, v.cells64), coalesce(v.cut, f.cut), coalesce(v.wide, f.wide), coalesce(v.rolled, f.rolled), s.writer,
  exists (select from scalar_chunk c where c.tenant_id = $1 and c.series_id = s.series_id and ${notFinite}) as has_not_finite
from series s
join run r on r.tenant_id = $1 and r.run_id = s.run_id
left join lateral (
  select e.*, e.first_step < $7 as cut from scalar_rollup e
  where e.tenant_id = $1 and e.series_id = s.series_id and e.level = 1 and e.last_step >= $7
  order by e.last_step limit 1
) e on true
left join lateral (
  select l.* from scalar_rollup l
  where e.series_id is not null and l.tenant_id = $1 and l.series_id = s.series_id and l.level = 1 and l.last_step <= $8
    and l.last_step >= e.last_step and (not e.cut or l.last_step > e.last_step)
  order by l.last_step desc limit 1
) l on true
left join lateral (
  select ${counts} from scalar_chunk c
  where ${plain} and c.tenant_id = $1 and c.series_id = s.series_id and not c.superseded and c.first_step <= $8
) f on true
left join lateral (
  select min(p.first_step) first_step, max(p.last_step) last_step, sum(p.points) points, sum(p.chunks) chunks,
    sum(p.cells512) cells512, sum(p.cells64) cells64, sum(p.cut) cut, sum(p.wide) wide, sum(p.rolled) rolled
  from (
    select case when e.cut then null else e.first_step end first_step, l.last_step,
      l.points_before + l.points - e.points_before - case when e.cut then e.points else 0 end points,
      l.chunks_before + l.chunks - e.chunks_before - case when e.cut then e.chunks else 0 end chunks,
      l.cells512_before + l.cells512 - e.cells512_before - case when e.cut then e.cells512 else 0 end cells512,
      l.cells64_before + l.cells64 - e.cells64_before - case when e.cut then e.cells64 else 0 end cells64,
      0::int8 cut, 0::int8 wide,
      l.chunks_before + l.chunks - e.chunks_before - case when e.cut then e.chunks else 0 end rolled
    where l.series_id is not null
    union all
    select ${counts} from ${overlapping('s.series_id', '$7', 'case when l.series_id is null then $8 else e.last_step end')}
    where l.series_id is null or e.cut
    union all
    select ${counts} from scalar_chunk c
    where l.series_id is not null and c.tenant_id = $1 and c.series_id = s.series_id and not c.superseded
      and c.first_step > l.last_step and c.first_step <= $8
  ) p
  where not (${plain})
) v on not (${plain})
where s.tenant_id = $1 and s.experiment_id = $2 and r.deleted_at is null and s.data_class = 'scalar'
  and ($3::text[] is null or r.name = any($3)) and ($4::bytea[] is null or s.tag_hash = any($4))
  and ($5::text is null or s.plugin = $5) and (s.listed or $6::boolean)
order by r.name collate "C", s.tag collate "C", s.twin, s.writer, s.series_id`,
};

/** The same statement, but selects series of any experiments by id. */
const byId = { name: 'list-scalar-series-by-id', text: statement.text.replace('s.experiment_id = $2', 's.series_id = any($2::int8[])') };

/** All effective chunks of these series. */
export async function listScalarSeriesById({ client, tenantId }: Snapshot, seriesIds: readonly SeriesId[]): Promise<ScalarSeries[]> {
  if (seriesIds.length === 0) return [];
  const all = [null, null, null, false, '-9223372036854775808', '9223372036854775807'];
  const rows = await queryText<SeriesRow>(client, byId, [tenantId, arrayParameter(seriesIds), ...all]);
  return rows.map(toSeries);
}

/** The matching series, ordered by run name and tag in byte order. */
export async function listScalarSeries({ client, tenantId }: Snapshot, filter: ScalarSeriesFilter): Promise<ScalarSeries[]> {
  const { runs, tags } = seenOf(filter);
  const hashes = tags && hashArray(tags);
  if (runs?.length === 0 || tags?.length === 0) return [];
  const rows = await queryText<SeriesRow>(client, planFor(statement, { runs, tags }), [
    tenantId,
    filter.experimentId,
    runs === null ? null : textArray([...new Set(runs)]),
    hashes instanceof Promise ? await hashes : hashes,
    filter.plugin,
    filter.unlisted,
    filter.from.toString(),
    filter.to.toString(),
  ]);
  return rows.map(toSeries);
}

/** A filter's runs and tags, limited to those that the caller may see. */
export function seenOf({
  runs,
  tags,
  view,
}: Pick<ScalarSeriesFilter, 'runs' | 'tags' | 'view'>): Pick<ScalarSeriesFilter, 'runs' | 'tags'> {
  return { runs: seenNames(runs, view?.runs ?? null), tags: seenNames(tags, view?.tags ?? null) };
}

/** Name lists longer than this get their own plan. */
const manyNames = 100;

/**
 * Postgres uses a hash table for long lists, but only if it knows the list at planning time. With a
 * generic plan, matching 60,000 tags against 10,000 series took two minutes (measured).
 */
export function planFor(wanted: Statement, { runs, tags }: Pick<ScalarSeriesFilter, 'runs' | 'tags'>): Statement {
  return (runs?.length ?? 0) + (tags?.length ?? 0) > manyNames ? { ...wanted, plansEachTime: true } : wanted;
}

type SeriesRow = readonly [SeriesId, RunId, ...TextRow];

function toSeries(row: SeriesRow): ScalarSeries {
  return {
    seriesId: row[0],
    runId: row[1],
    run: row[2]!,
    tag: row[3]!,
    firstStep: row[4] ? BigInt(row[4]) : null,
    lastStep: row[5] ? BigInt(row[5]) : null,
    points: Number(row[6]),
    chunks: Number(row[7]),
    cells512: Number(row[8]),
    cells64: Number(row[9]),
    cutChunks: Number(row[10]),
    wideChunks: Number(row[11]),
    rolledChunks: Number(row[12]),
    writer: Number(row[13]),
    hasNotFinite: row[14] === 't',
  };
}

/** A text[] parameter in Postgres' array syntax. Any characters are allowed. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

/** Hashing more names would delay other requests. */
const manyHashes = 500;

/**
 * SHA-256 of each name, as a bytea[] parameter. Names are looked up by their hash, which is their
 * key. Returns a promise for a long list, which is hashed over several turns of the event loop.
 */
export function hashArray(names: readonly string[]): string | Promise<string> {
  const distinct = [...new Set(names)];
  return distinct.length <= manyHashes ? arrayOf(hashesOf(distinct)) : hashInSlices(distinct);
}

async function hashInSlices(names: readonly string[]): Promise<string> {
  const hashes: string[] = [];
  for (let from = 0; from < names.length; from += manyHashes) {
    const pause = pauseIfLong();
    if (pause) await pause;
    hashes.push(...hashesOf(names.slice(from, from + manyHashes)));
  }
  return arrayOf(hashes);
}

function hashesOf(names: readonly string[]): string[] {
  return names.map((name) => `"\\\\x${nameHash(name).toString('hex')}"`);
}

function arrayOf(items: readonly string[]): string {
  return `{${items.join(',')}}`;
}
