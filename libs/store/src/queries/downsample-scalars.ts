/**
 * Downsampling in SQL: cells of a series become buckets on the server, so that a chart costs the same whatever the length of the series.
 *
 * A *piece* is what one chunk gives to one bucket. Inside a chunk cells lie in the order of steps, so the cells of a bucket are a slice of
 * the chunk's arrays: its first cell is found by division where the stride is constant and by `width_bucket` (a binary search) where not.
 * First, last and wall time are then one element each, and the extremes a LEAST over at most {@link unrolled} elements: a third of the
 * time of unnesting the cells and grouping them (measured: 4 ms for 8,000 cells). The reader joins the two or more pieces of a bucket.
 *
 * A cell belongs to the bucket in which its first step lies (architecture.md, 3).
 */
import type pg from 'pg';
import { arrayParameter, parameter, queryText, readFloat64s, readInt64s, type Statement } from '../text-result.ts';
import { overlaps, textArray, wideChunk } from './list-scalar-series.ts';

/** Cells of 64 or 512 points, or whole chunks; `many`: whole chunks, of which there are many more than buckets. */
export type CellLevel = 64 | 512 | 4096 | 'many';

/** Buckets that several series share. `bounds`: first step of each; `to`: last step of the last one. */
export interface BucketRange {
  readonly bounds: ArrayLike<number | bigint>;
  readonly to: bigint;
}

/** Pieces of buckets of one series, in any order, as columns of equal length. `min` and `max` are NaN where every value is. */
export interface BucketPieces {
  readonly step: BigInt64Array;
  readonly lastStep: BigInt64Array;
  readonly count: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly minStep: BigInt64Array;
  readonly maxStep: BigInt64Array;
  readonly wallTime: Float64Array;
}

/** Slices of up to this many cells take the extremes without a subquery: levels are 8 apart, so a bucket rarely has more. */
const unrolled = 9;

/** Pieces of buckets from the effective chunks that lie wholly in the range, for each series; null where there is none. */
export async function downsampleScalars(
  client: pg.ClientBase,
  tenantId: string,
  level: CellLevel,
  series: readonly { readonly seriesId: string; readonly range: number }[],
  ranges: readonly BucketRange[],
): Promise<(BucketPieces | null)[]> {
  const rows = await queryText(client, statements[level], [
    tenantId,
    arrayParameter(series.map((one) => one.seriesId)),
    arrayParameter(series.map((one) => one.range + 1)),
    textArray(ranges.map((range) => arrayParameter(range.bounds))),
    arrayParameter(ranges.map((range) => range.to)),
  ]);
  const found: (BucketPieces | null)[] = new Array<BucketPieces | null>(series.length).fill(null);
  for (const row of rows) {
    if (!row[1]) continue;
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

/** What a piece is made of, and how each column leaves the server: as the bytes of its numbers, which neither side has to print or parse. */
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
select q.no, p.* from rows from (unnest(${parameter(2, 'int8')}), unnest(${parameter(3, 'int4')})) with ordinality q(series_id, range_no, no)
join ranges g on g.no = q.range_no,
lateral (
  select ${columns.map(([name, send]) => `string_agg(${send}(x.${name}), ''::bytea)`).join(', ')}
  from (${pieces}) x
) p`,
  };
}

const inside = `${overlaps('q.series_id', 'g.from_step', 'g.to_step')}
    and c.first_step >= g.from_step and c.last_step <= g.to_step and not (${wideChunk})`;

function cellPieces(level: 64 | 512): string {
  const column = (name: string): string => `c.c${level}_${name}`;
  const elements = (array: string): string => Array.from({ length: unrolled }, (_, i) => `${array}[${i + 1}]`).join(', ');
  const extreme = (unrolledFunction: string, aggregate: string, array: string): string =>
    `case when k.last_cell - k.first_cell < ${unrolled} then ${unrolledFunction}(${elements(array)}) else (select ${aggregate}(u) from unnest(${array}) u) end`;
  // The first cell that begins in or behind the bucket; cells are numbered from 0.
  const firstCell = (bucket: string): string => `case
        when c.stride is not null then (g.bounds[${bucket}] - c.first_step + z.width - 1) / z.width
        else width_bucket(g.bounds[${bucket}] - 1, ${column('first_step')}) end`;
  const slice = (name: string): string => `${column(name)}[k.first_cell + 1 : k.last_cell + 1]`;
  return `
    select
      coalesce(${column('first_step')}[k.first_cell + 1], c.first_step + z.width * k.first_cell) as step,
      case when k.last_cell + 1 = z.cells then c.last_step
        else coalesce(${column('last_step')}[k.last_cell + 1], c.first_step + z.width * (k.last_cell + 1) - c.stride) end as last_step,
      least(c.count - k.first_cell * ${level}, (k.last_cell - k.first_cell + 1) * ${level})::int8 as points,
      coalesce(${column('first')}[k.first_cell + 1]::float8, ${column('first8')}[k.first_cell + 1]) as first,
      coalesce(${column('last')}[k.last_cell + 1]::float8, ${column('last8')}[k.last_cell + 1]) as last,
      coalesce(v.min4::float8, v.min8, 'NaN') as min, coalesce(v.max4::float8, v.max8, 'NaN') as max,
      coalesce(${column('min_step')}[a.min_cell], c.first_step + z.width * (a.min_cell - 1) + c.stride * ${column('min_at')}[a.min_cell]) as min_step,
      coalesce(${column('max_step')}[a.max_cell], c.first_step + z.width * (a.max_cell - 1) + c.stride * ${column('max_at')}[a.max_cell]) as max_step,
      ${column('wall')}[k.first_cell + 1] as wall
    from scalar_chunk c,
    lateral (select (c.count + ${level - 1}) / ${level} as cells, case when c.count > ${level} then c.stride * ${level} else 1 end as width offset 0) z,
    lateral (
      select e.first_bucket, width_bucket(case when z.cells = 1 then c.first_step else coalesce(${column('first_step')}[z.cells], c.first_step + z.width * (z.cells - 1)) end, g.bounds) as last_bucket
      from (select width_bucket(c.first_step, g.bounds) as first_bucket) e offset 0
    ) w,
    lateral (
      select bucket, first_cell::int4, last_cell::int4 from (
        select bucket, case when bucket = w.first_bucket then 0 else ${firstCell('bucket')} end as first_cell,
          case when bucket = w.last_bucket then z.cells else ${firstCell('bucket + 1')} end - 1 as last_cell
        from (select generate_series(w.first_bucket, w.last_bucket) as bucket) b offset 0
      ) i where last_cell >= first_cell
    ) k,
    lateral (select ${slice('min')} as min4, ${slice('max')} as max4, ${slice('min8')} as min8, ${slice('max8')} as max8 offset 0) s,
    lateral (select ${extreme('least', 'min', 's.min4')} as min4, ${extreme('greatest', 'max', 's.max4')} as max4,
      case when s.min8 is not null then ${extreme('least', 'min', 's.min8')} end as min8, case when s.max8 is not null then ${extreme('greatest', 'max', 's.max8')} end as max8 offset 0) v,
    lateral (select k.first_cell + coalesce(array_position(s.min4, v.min4), array_position(s.min8, v.min8)) as min_cell,
      k.first_cell + coalesce(array_position(s.max4, v.max4), array_position(s.max8, v.max8)) as max_cell offset 0) a
    where ${inside}`;
}

/** A chunk is one cell here, by its summary. */
const chunkPieces = `
    select c.first_step as step, c.last_step, c.count::int8 as points, c.first_value as first, c.last_value as last,
      coalesce(c.min_value, 'NaN') as min, coalesce(c.max_value, 'NaN') as max,
      coalesce(c.min_step, c.first_step) as min_step, coalesce(c.max_step, c.first_step) as max_step, c.first_wall as wall
    from scalar_chunk c
    where ${inside}`;

/** The same for series of very many chunks, joined to one piece a bucket. */
const joinedChunkPieces = `
    select min(y.step) as step, max(y.last_step) as last_step, sum(y.points)::int8 as points,
      (array_agg(y.first order by y.step))[1] as first, (array_agg(y.last order by y.step))[count(*)] as last,
      coalesce(min(y.min) filter (where y.min <> 'NaN'), 'NaN') as min, coalesce(max(y.max) filter (where y.max <> 'NaN'), 'NaN') as max,
      (array_agg(y.min_step order by y.min, y.step))[1] as min_step,
      (array_agg(y.max_step order by nullif(y.max, 'NaN') desc nulls last, y.step))[1] as max_step,
      (array_agg(y.wall order by y.step))[1] as wall
    from (select h.*, width_bucket(h.step, g.bounds) as bucket from (${chunkPieces}) h) y
    group by y.bucket`;

const statements: Readonly<Record<CellLevel, Statement>> = {
  64: statementFor(64, cellPieces(64)),
  512: statementFor(512, cellPieces(512)),
  4096: statementFor(4096, chunkPieces),
  many: statementFor('many', joinedChunkPieces),
};
