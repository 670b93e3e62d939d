import { sql, type RawBuilder } from 'kysely';
import type { SeriesId, TenantId } from '#model';
import { wideChunk } from './list-scalar-series.ts';
import type { IngestScope } from '../../scope.ts';

/** This many chunks, or rows of one level, form one row of the next level. */
export const rollupRatio = 8;

const ratio = sql.raw(String(rollupRatio));

/**
 * The lowest step. It replaces a missing step, which means "before the first one". It must be int8;
 * without the parentheses, it would be numeric, and so would the values that it is compared with.
 */
export const lowestStep = sql.raw('(-9223372036854775808)::int8');

/**
 * The columns of a row, computed from the columns of the rows in the level below (`part`), which
 * are numbered in step order.
 */
const columnsMade = sql.raw(`
  min(p.first_step) as first_step, max(p.last_step) as last_step,
  sum(p.points)::int8 as points, sum(p.chunks)::int8 as chunks, sum(p.cells512)::int8 as cells512, sum(p.cells64)::int8 as cells64,
  (array_agg(p.first_value order by p.first_step))[1] as first_value,
  (array_agg(p.last_value order by p.first_step desc))[1] as last_value,
  min(p.min_value) as min_value, max(p.max_value) as max_value,
  (array_agg(p.min_step order by p.min_value, p.first_step) filter (where p.min_value is not null))[1] as min_step,
  (array_agg(p.max_step order by p.max_value desc, p.first_step) filter (where p.max_value is not null))[1] as max_step,
  (array_agg(p.first_wall order by p.first_step))[1] as first_wall`);

const inserted = sql.raw(`(tenant_id, series_id, level, first_step, last_step, points, chunks, cells512, cells64,
  points_before, chunks_before, cells512_before, cells64_before,
  first_value, last_value, min_value, max_value, min_step, max_step, first_wall)`);

/**
 * Each series' last row of a level, with the end of its prefix and its totals. `bound` is computed
 * here rather than in the comparison; see `overlapping`.
 */
function prefixes(tenantId: TenantId, seriesIds: readonly SeriesId[], level: number): RawBuilder<unknown> {
  return sql`select q.series_id, l.last_step, coalesce(l.last_step, ${lowestStep}) as bound, coalesce(l.points, 0) as points, coalesce(l.chunks, 0) as chunks,
      coalesce(l.cells512, 0) as cells512, coalesce(l.cells64, 0) as cells64
    from unnest(${[...seriesIds]}::bigint[]) as q(series_id)
    left join lateral (
      select r.last_step, r.points_before + r.points as points, r.chunks_before + r.chunks as chunks,
        r.cells512_before + r.cells512 as cells512, r.cells64_before + r.cells64 as cells64
      from scalar_rollup r where r.tenant_id = ${tenantId} and r.series_id = q.series_id and r.level = ${level}::smallint
      order by r.last_step desc limit 1
    ) l on true`;
}

/** The rows of a level, computed from grouped rows, each with the totals before it. */
function numbered(tenantId: TenantId, level: number): RawBuilder<unknown> {
  return sql`select ${tenantId}::uuid, g.series_id, ${level}::smallint, g.first_step, g.last_step, g.points, g.chunks, g.cells512, g.cells64,
      l.points + sum(g.points) over w - g.points, l.chunks + sum(g.chunks) over w - g.chunks,
      l.cells512 + sum(g.cells512) over w - g.cells512, l.cells64 + sum(g.cells64) over w - g.cells64,
      g.first_value, g.last_value, g.min_value, g.max_value, g.min_step, g.max_step, g.first_wall
    from grouped g join prefix l on l.series_id = g.series_id
    window w as (partition by g.series_id order by g.place rows unbounded preceding)`;
}

/**
 * Builds the next level 1 rows, at most `rows` per series, from effective chunks that have a
 * successor, because the last chunk of a series is rewritten while it grows. Returns the number of
 * rows built per series, omitting series without any. A chunk that spans more steps than the rollup
 * queries accept ends the part that can be rolled up.
 */
async function rollUpChunks({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[], rows: number): Promise<Map<SeriesId, number>> {
  const found = await sql<{ series_id: SeriesId }>`
    /* roll-up-chunks */
    with prefix as materialized (${prefixes(tenantId, seriesIds, 1)}),
    part as (
      select l.series_id, c.*, row_number() over w as no, count(*) over (partition by l.series_id) as found, bool_or(c.wide) over w as stopped
      from prefix l cross join lateral (
        select c.first_step, c.last_step, c.count::int8 as points, 1 as chunks, (c.count + 511) / 512 as cells512, (c.count + 63) / 64 as cells64,
          c.first_value, c.last_value, c.min_value, c.max_value, c.min_step, c.max_step, c.first_wall, ${sql.raw(wideChunk)} as wide
        from scalar_chunk c
        where c.tenant_id = ${tenantId} and c.series_id = l.series_id and not c.superseded
          and c.first_step >= l.bound and c.first_step is distinct from l.last_step
        order by c.first_step limit ${rollupRatio * rows + 1}
      ) c window w as (partition by l.series_id order by c.first_step)
    ),
    grouped as (
      select p.series_id, (p.no - 1) / ${ratio} as place, ${columnsMade}
      from part p
      group by p.series_id, (p.no - 1) / ${ratio}
      having count(*) = ${ratio} and not bool_or(p.stopped) and max(p.no) < max(p.found)
    )
    insert into scalar_rollup ${inserted} ${numbered(tenantId, 1)}
    returning series_id`.execute(trx);
  return countBySeries(found.rows);
}

/** Builds all rows of `level` that the rows of the level below allow. */
async function rollUpRows({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[], level: number): Promise<Map<SeriesId, number>> {
  const found = await sql<{ series_id: SeriesId }>`
    /* roll-up-rows */
    with prefix as materialized (${prefixes(tenantId, seriesIds, level)}),
    part as (
      select r.*, row_number() over (partition by r.series_id order by r.last_step) as no
      from prefix l join scalar_rollup r on r.tenant_id = ${tenantId} and r.series_id = l.series_id and r.level = ${level - 1}::smallint
        and r.last_step >= l.bound and r.last_step is distinct from l.last_step
    ),
    grouped as (
      select p.series_id, (p.no - 1) / ${ratio} as place, ${columnsMade}
      from part p
      group by p.series_id, (p.no - 1) / ${ratio}
      having count(*) = ${ratio}
    )
    insert into scalar_rollup ${inserted} ${numbered(tenantId, level)}
    returning series_id`.execute(trx);
  return countBySeries(found.rows);
}

function countBySeries(rows: readonly { series_id: SeriesId }[]): Map<SeriesId, number> {
  const counts = new Map<SeriesId, number>();
  for (const row of rows) counts.set(row.series_id, (counts.get(row.series_id) ?? 0) + 1);
  return counts;
}

/**
 * Rolls up these series of a run: at most `rows` level 1 rows each, and all rows of higher levels
 * that these complete. The caller holds the run. Returns the number of level 1 rows per series,
 * omitting series without any. Fewer than `rows` means that the series is done.
 */
export async function rollUpSeries(ingest: IngestScope, seriesIds: readonly SeriesId[], rows: number): Promise<Map<SeriesId, number>> {
  const made = await rollUpChunks(ingest, seriesIds, rows);
  let grown: readonly SeriesId[] = [...made.keys()];
  for (let level = 2; grown.length > 0; level++) grown = [...(await rollUpRows(ingest, grown, level)).keys()];
  return made;
}
