import type pg from 'pg';
import { queryText, type Statement, type TextRow } from '../text-result.ts';
import { nameHash } from './run-series.ts';

/** Which scalar series of an experiment a request is about. */
export interface ScalarSeriesFilter {
  readonly experimentId: string;
  /** Null: all. An empty list: none. */
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly plugin: string | null;
  /** Also series that are not listed (data rule 11). */
  readonly unlisted: boolean;
  /** Both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
}

/** A scalar series, and what its effective chunks hold in the asked range of steps. The tail of the run is not counted. */
export interface ScalarSeries {
  readonly seriesId: string;
  readonly runId: string;
  readonly run: string;
  readonly tag: string;
  /** Null without a chunk in the range. They are those of whole chunks, so they may lie outside the range. */
  readonly firstStep: bigint | null;
  readonly lastStep: bigint | null;
  /** Of whole chunks too: at least the points in the range. */
  readonly points: number;
  readonly chunks: number;
  readonly cells512: number;
  readonly cells64: number;
  /** Chunks that reach beyond the range, or over more steps than the arithmetic of the rollup queries takes: they are read as points. */
  readonly cutChunks: number;
}

/**
 * Chunks over more steps than this (2^62) are read as points: differences of their steps may leave int8.
 * Both sides are halved so that the comparison itself cannot overflow.
 */
export const wideChunk = '(c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952';

/**
 * Condition on chunks `c` that overlap a range: effective chunks do not overlap one another, so the first one is the last that begins
 * before the range, found by one probe of the index.
 */
export function overlaps(series: string, from: string, to: string): string {
  return `c.tenant_id = $1 and c.series_id = ${series} and not c.superseded and c.first_step <= ${to} and c.last_step >= ${from}
    and c.first_step >= coalesce((select max(e.first_step) from scalar_chunk e where e.tenant_id = $1 and e.series_id = ${series} and not e.superseded and e.first_step <= ${from}), ${from})`;
}

const statement = {
  name: 'list-scalar-series',
  text: `
select s.series_id, s.run_id, r.name, s.tag, v.first_step, v.last_step, v.points, v.chunks, v.cells512, v.cells64, v.cut
from series s
join run r on r.tenant_id = $1 and r.run_id = s.run_id
left join lateral (
  select min(c.first_step) first_step, max(c.last_step) last_step, sum(c.count) points, count(*) chunks,
    sum((c.count + 511) / 512) cells512, sum((c.count + 63) / 64) cells64,
    count(*) filter (where c.first_step < $7 or c.last_step > $8 or ${wideChunk}) cut
  from scalar_chunk c
  where ${overlaps('s.series_id', '$7', '$8')}
) v on true
where s.tenant_id = $1 and s.experiment_id = $2 and r.deleted_at is null and s.data_class = 'scalar'
  and ($3::text[] is null or r.name = any($3)) and ($4::bytea[] is null or s.tag_hash = any($4))
  and ($5::text is null or s.plugin = $5) and (s.listed or $6::boolean)
order by r.name collate "C", s.tag collate "C", s.series_id`,
};

/** The series that match, by run name and tag in the order of their bytes. */
export async function listScalarSeries(client: pg.ClientBase, tenantId: string, filter: ScalarSeriesFilter): Promise<ScalarSeries[]> {
  if (filter.runs?.length === 0 || filter.tags?.length === 0) return [];
  const rows = await queryText(client, planFor(statement, filter), [
    tenantId,
    filter.experimentId,
    filter.runs === null ? null : textArray([...new Set(filter.runs)]),
    filter.tags === null ? null : hashArray(filter.tags),
    filter.plugin,
    filter.unlisted,
    filter.from.toString(),
    filter.to.toString(),
  ]);
  return rows.map(toSeries);
}

/** Lists of names that are longer than this are worth a plan of their own. */
const manyNames = 100;

/**
 * Postgres looks long lists up in a hash table, but only where it knows the list when it plans: with a plan kept for any list, 60,000 tags times
 * 10,000 series took two minutes (measured).
 */
export function planFor(wanted: Statement, { runs, tags }: Pick<ScalarSeriesFilter, 'runs' | 'tags'>): Statement {
  return (runs?.length ?? 0) + (tags?.length ?? 0) > manyNames ? { text: wanted.text } : wanted;
}

function toSeries(row: TextRow): ScalarSeries {
  return {
    seriesId: row[0]!,
    runId: row[1]!,
    run: row[2]!,
    tag: row[3]!,
    firstStep: row[4] ? BigInt(row[4]) : null,
    lastStep: row[5] ? BigInt(row[5]) : null,
    points: Number(row[6]),
    chunks: Number(row[7]),
    cells512: Number(row[8]),
    cells64: Number(row[9]),
    cutChunks: Number(row[10]),
  };
}

/** A text[] parameter in Postgres' array syntax; any characters. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

/** SHA-256 of each name, as a bytea[] parameter: names are found by their hash, as they are keyed. */
export function hashArray(names: readonly string[]): string {
  return `{${[...new Set(names)].map((name) => `"\\\\x${nameHash(name).toString('hex')}"`).join(',')}}`;
}
