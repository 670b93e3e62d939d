/**
 * Downsampling in SQL: cells of a series become buckets on the server, so a chart costs the same
 * for series of any length.
 *
 * A *piece* is the part of one chunk in one bucket. Inside a chunk, cells are in step order, so a
 * bucket's cells are a slice of the chunk's arrays. The first cell is found by division if the
 * stride is constant, otherwise by `width_bucket` (a binary search). The first value, the last
 * value and the wall time are then one element each, and an extreme is a LEAST or GREATEST of at
 * most {@link unrolled} elements. This takes a third of the time of unnesting the cells and
 * grouping them (measured). The reader joins the pieces of a bucket.
 *
 * A cell belongs to the bucket that contains its first step.
 */
import { pauseIfLong } from '#admission';
import type { SeriesId } from '#model';
import { arrayParameter, parameter, queryText, readFloat64s, readInt64s, type Statement } from '../../text-result.ts';
import { textArray, wideChunk } from './list-scalar-series.ts';
import { cellColumns } from './chunk-columns.ts';
import type { Snapshot } from '../../scope.ts';

/**
 * Cells of 64 or 512 points, or whole chunks. `many` means whole chunks if there are many more of
 * them than buckets. `rolled` means rows of `scalar_rollup`, and whole chunks where there are no
 * rows.
 */
export type CellLevel = 64 | 512 | 4096 | 'many' | 'rolled';

/**
 * A series to downsample over the range with this index. `level` is the coarsest level of rows to
 * use when reading from rollups.
 */
export interface DownsampledSeries {
  readonly seriesId: SeriesId;
  readonly range: number;
  readonly level?: number;
}

/**
 * Buckets that several series share. `bounds` are the buckets' first steps, and `to` is the last
 * step of the last bucket.
 */
export interface BucketRange {
  readonly bounds: ArrayLike<number | bigint>;
  readonly to: bigint;
}

/**
 * Pieces of one series' buckets, in any order, as columns of equal length. `min` and `max` are NaN
 * if all values are NaN.
 */
export interface BucketPieces {
  readonly step: Float64Array | BigInt64Array;
  readonly lastStep: Float64Array | BigInt64Array;
  readonly count: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly minStep: Float64Array | BigInt64Array;
  readonly maxStep: Float64Array | BigInt64Array;
  readonly wallTime: Float64Array;
}

/**
 * Slices of at most this many cells compute the extremes without a subquery: levels differ by a
 * factor of 8, so a bucket rarely has more cells. Most buckets have few cells, and their cost is in
 * proportion.
 */
const unrolled = [2, 5, 9];

/**
 * For each series, the bucket pieces from the effective chunks that are completely in the range,
 * with each point counted once. Null if there are none.
 */
export async function downsampleScalars(
  { client, tenantId }: Snapshot,
  level: CellLevel,
  series: readonly DownsampledSeries[],
  ranges: readonly BucketRange[],
): Promise<(BucketPieces | null)[]> {
  const rows = await queryText(client, statements[level], [
    tenantId,
    arrayParameter(series.map((one) => one.seriesId)),
    arrayParameter(series.map((one) => one.range + 1)),
    textArray(ranges.map((range) => arrayParameter(range.bounds))),
    arrayParameter(ranges.map((range) => range.to)),
    ...(level === 'rolled' ? [arrayParameter(series.map((one) => one.level ?? 1))] : []),
  ]);
  const found: (BucketPieces | null)[] = new Array<BucketPieces | null>(series.length).fill(null);
  for (const row of rows) {
    if (!row[1]) continue;
    const pause = pauseIfLong();
    if (pause) await pause;
    found[Number(row[0]) - 1] = {
      step: readInt64s(row[1]),
      lastStep: readInt64s(row[2]!),
      count: Float64Array.from(readInt64s(row[3]!), Number),
      first: readFloat64s(row[4]!),
      last: readFloat64s(row[5]!),
      min: readFloat64s(row[6]!),
      max: readFloat64s(row[7]!),
      minStep: readInt64s(row[8]!),
      maxStep: readInt64s(row[9]!),
      wallTime: readFloat64s(row[10]!),
    };
  }
  return found;
}

/**
 * The columns of a piece, and how the server sends each: as the bytes of its numbers, so that
 * neither side has to format or parse them.
 */
const columns = [
  ['step', 'int8send'],
  ['last_step', 'int8send'],
  ['points', 'int8send'],
  ['first', 'float8send'],
  ['last', 'float8send'],
  ['min', 'float8send'],
  ['max', 'float8send'],
  ['min_step', 'int8send'],
  ['max_step', 'int8send'],
  ['wall', 'float8send'],
] as const;

function statementFor(level: CellLevel, pieces: string): Statement {
  return {
    name: `downsample-scalars-${level}`,
    text: `
with ranges as materialized (
  select r.no, r.bounds::int8[] as bounds, (r.bounds::int8[])[1] as from_step, r.to_step
  from rows from (unnest(${parameter(4, 'text')}), unnest(${parameter(5, 'int8')})) with ordinality r(bounds, to_step, no)
)
select q.no, p.* from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int4')})${level === 'rolled' ? `, unnest(${parameter(6, 'int4')})` : ''}) with ordinality q(series_id, range_no, ${level === 'rolled' ? 'level, ' : ''}no)
join ranges g on g.no = q.range_no,
lateral (
  select ${columns.map(([name, send]) => `string_agg(${send}(x.${name}), ''::bytea)`).join(', ')}
  from (${pieces}) x
) p`,
  };
}

/** Effective chunks `c` of the series `q` that are completely in a range, including both ends. */
export function wholeChunks(from: string, to: string): string {
  return `c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded
    and c.first_step >= ${from} and c.first_step <= ${to} and c.last_step <= ${to} and not (${wideChunk})`;
}

const inside = wholeChunks('g.from_step', 'g.to_step');

/**
 * Adds columns to the rows of a subquery. `offset 0` keeps the planner from merging the two,
 * because a merged query would compute shared expressions twice. A chain of subqueries passes rows
 * by pointer. As lateral joins, the same steps take 1.2 to 1.5 times as long.
 */
function withColumns(below: string, added: string, where = ''): string {
  return `(select x.*, ${added}
    from ${below} x ${where} offset 0)`;
}

/**
 * The pieces of chunks with cells of this many points, computed in steps that build on each other.
 */
function cellPieces(level: 64 | 512): string {
  const column = (name: string): string => `x.c${level}_${name}`;
  const pieces = extremePlaces(extremes(cellSlices(level, cellRanges(level, chunkBuckets(bucketBounds(level, chunksOfCells(level)))))));
  return `
    select
      coalesce(${column('first_step')}[x.first_cell + 1], x.first_step + x.width * x.first_cell) as step,
      case when x.last_cell + 1 = x.cells then x.last_step
        else coalesce(${column('last_step')}[x.last_cell + 1], x.first_step + x.width * (x.last_cell + 1) - x.stride) end as last_step,
      least(x.count - x.first_cell * ${level}, (x.last_cell - x.first_cell + 1) * ${level})::int8 as points,
      coalesce(${column('first')}[x.first_cell + 1]::float8, ${column('first8')}[x.first_cell + 1]) as first,
      coalesce(${column('last')}[x.last_cell + 1]::float8, ${column('last8')}[x.last_cell + 1]) as last,
      coalesce(x.least4::float8, x.least8, 'NaN') as min, coalesce(x.greatest4::float8, x.greatest8, 'NaN') as max,
      coalesce(${column('min_step')}[x.min_cell], x.first_step + x.width * (x.min_cell - 1) + x.stride * ${column('min_at')}[x.min_cell]) as min_step,
      coalesce(${column('max_step')}[x.max_cell], x.first_step + x.width * (x.max_cell - 1) + x.stride * ${column('max_at')}[x.max_cell]) as max_step,
      ${column('wall')}[x.first_cell + 1] as wall
    from ${pieces} x`;
}

/**
 * 1. The chunks in the range: `cells` is their number; `width` is the difference in steps from one
 *    cell to the next.
 */
function chunksOfCells(level: 64 | 512): string {
  const carried = cellColumns.map((name) => `c.c${level}_${name}`).join(', ');
  return `(select c.first_step, c.last_step, c.count, c.stride, ${carried},
      (c.count + ${level - 1}) / ${level} as cells, case when c.count > ${level} then c.stride * ${level} else 1 end as width
    from scalar_chunk c
    where ${inside}
    offset 0)`;
}

/** 2. `first_bucket`, `last_bucket`: the buckets of a chunk's first and last cell. */
function bucketBounds(level: 64 | 512, below: string): string {
  const lastCell = `coalesce(x.c${level}_first_step[x.cells], x.first_step + x.width * (x.cells - 1))`;
  return withColumns(
    below,
    `width_bucket(x.first_step, g.bounds) as first_bucket,
      width_bucket(case when x.cells = 1 then x.first_step else ${lastCell} end, g.bounds) as last_bucket`,
  );
}

/** 3. `bucket`: one row per chunk and bucket. */
function chunkBuckets(below: string): string {
  return withColumns(below, 'generate_series(x.first_bucket, x.last_bucket) as bucket');
}

/** 4. `first_cell`, `last_cell`: the chunk's cells in the bucket, numbered from 0. */
function cellRanges(level: 64 | 512, below: string): string {
  // The first cell that starts in the bucket or after it.
  const firstCell = (bucket: string): string => `case
        when x.stride is not null then (g.bounds[${bucket}] - x.first_step + x.width - 1) / x.width
        else width_bucket(g.bounds[${bucket}] - 1, x.c${level}_first_step) end`;
  return withColumns(
    below,
    `(case when bucket = x.first_bucket then 0 else ${firstCell('bucket')} end)::int4 as first_cell,
      (case when bucket = x.last_bucket then x.cells else ${firstCell('bucket + 1')} end - 1)::int4 as last_cell`,
  );
}

/** 5. The extremes of these cells, as slices of the float4 and float8 arrays. */
function cellSlices(level: 64 | 512, below: string): string {
  const slice = (name: string): string => `x.c${level}_${name}[x.first_cell + 1 : x.last_cell + 1]`;
  return withColumns(
    below,
    `${slice('min')} as mins4, ${slice('max')} as maxs4, ${slice('min8')} as mins8, ${slice('max8')} as maxs8`,
    'where x.last_cell >= x.first_cell',
  );
}

/** 6. The smallest and the largest value of each slice. */
function extremes(below: string): string {
  const elements = (array: string, count: number): string => Array.from({ length: count }, (_, i) => `${array}[${i + 1}]`).join(', ');
  const extreme = (unrolledFunction: string, aggregate: string, array: string): string =>
    `case ${unrolled.map((count) => `when x.last_cell - x.first_cell < ${count} then ${unrolledFunction}(${elements(array, count)})`).join(' ')}
        else (select ${aggregate}(u) from unnest(${array}) u) end`;
  return withColumns(
    below,
    `${extreme('least', 'min', 'x.mins4')} as least4, ${extreme('greatest', 'max', 'x.maxs4')} as greatest4,
      case when x.mins8 is not null then ${extreme('least', 'min', 'x.mins8')} end as least8,
      case when x.maxs8 is not null then ${extreme('greatest', 'max', 'x.maxs8')} end as greatest8`,
  );
}

/** 7. `min_cell`, `max_cell`: the cells with these values, numbered from 1. */
function extremePlaces(below: string): string {
  return withColumns(
    below,
    `x.first_cell + coalesce(array_position(x.mins4, x.least4), array_position(x.mins8, x.least8)) as min_cell,
      x.first_cell + coalesce(array_position(x.maxs4, x.greatest4), array_position(x.maxs8, x.greatest8)) as max_cell`,
  );
}

/** Here, a chunk or a rollup row counts as one cell, represented by its summary. */
const summary = (of: 'c' | 'r', points: string): string => `
    select ${of}.first_step as step, ${of}.last_step, ${points} as points, ${of}.first_value as first, ${of}.last_value as last,
      coalesce(${of}.min_value, 'NaN') as min, coalesce(${of}.max_value, 'NaN') as max,
      coalesce(${of}.min_step, ${of}.first_step) as min_step, coalesce(${of}.max_step, ${of}.first_step) as max_step, ${of}.first_wall as wall`;

const chunkPieces = `${summary('c', 'c.count::int8')}
    from scalar_chunk c
    where ${inside}`;

/**
 * Like `chunkPieces`, but for series with very many chunks, which are joined into one piece per
 * bucket.
 */
const joinedChunkPieces = `
    select min(y.step) as step, max(y.last_step) as last_step, sum(y.points)::int8 as points,
      (array_agg(y.first order by y.step))[1] as first, (array_agg(y.last order by y.step))[count(*)] as last,
      coalesce(min(y.min) filter (where y.min <> 'NaN'), 'NaN') as min, coalesce(max(y.max) filter (where y.max <> 'NaN'), 'NaN') as max,
      (array_agg(y.min_step order by y.min, y.step))[1] as min_step,
      (array_agg(y.max_step order by nullif(y.max, 'NaN') desc nulls last, y.step))[1] as max_step,
      (array_agg(y.wall order by y.step))[1] as wall
    from (select h.*, width_bucket(h.step, g.bounds) as bucket from (${chunkPieces}) h) y
    group by y.bucket`;

/**
 * The steps covered by a level's rows that are completely in the range. Nulls if there are none.
 * Each row covers whole rows of the level below. So rows of a finer level that are in the range but
 * outside these steps are to the left or right of them.
 */
const insideOf = (level: string): string => `
      select f.first_step as first, l.last_step as last
      from (
        select e.first_step, e.last_step from scalar_rollup e
        where e.tenant_id = $1 and e.series_id = q.series_id and e.level = ${level} and e.last_step >= g.from_step and e.first_step >= g.from_step
        order by e.last_step limit 1
      ) f, (
        select max(e.last_step) as last_step from scalar_rollup e
        where e.tenant_id = $1 and e.series_id = q.series_id and e.level = ${level} and e.last_step <= g.to_step
      ) l
      where l.last_step >= f.last_step`;

/**
 * The rows of the requested level; for each finer level, the rows to the left and right of the
 * coarser rows; and the chunks to the left and right of the level 1 rows.
 */
const rolledPieces = `
    ${summary('r', 'r.points')}
    from generate_series(1, q.level) k(level)
    left join lateral (${insideOf('k.level + 1')}
      and k.level < q.level) n on true
    cross join lateral (
      select r.* from scalar_rollup r
      where r.tenant_id = $1 and r.series_id = q.series_id and r.level = k.level and r.first_step >= g.from_step
        and r.last_step >= g.from_step and r.last_step <= least(n.first, g.to_step) and r.last_step is distinct from n.first
      union all
      select r.* from scalar_rollup r
      where r.tenant_id = $1 and r.series_id = q.series_id and r.level = k.level and r.last_step > n.last and r.last_step <= g.to_step
    ) r
    union all
    select h.* from (select) o
    left join lateral (${insideOf('1')}) n on true
    cross join lateral (
      ${summary('c', 'c.count::int8')}
      from scalar_chunk c
      where c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded
        and c.first_step >= g.from_step and c.first_step <= least(n.first, g.to_step) and c.first_step is distinct from n.first
        and c.last_step <= g.to_step and not (${wideChunk})
      union all
      ${summary('c', 'c.count::int8')}
      from scalar_chunk c
      where c.tenant_id = $1 and c.series_id = q.series_id and not c.superseded
        and c.first_step > n.last and c.first_step <= g.to_step
        and c.last_step <= g.to_step and not (${wideChunk})
    ) h`;

const statements: Readonly<Record<CellLevel, Statement>> = {
  64: statementFor(64, cellPieces(64)),
  512: statementFor(512, cellPieces(512)),
  4096: statementFor(4096, chunkPieces),
  many: statementFor('many', joinedChunkPieces),
  rolled: statementFor('rolled', rolledPieces),
};
