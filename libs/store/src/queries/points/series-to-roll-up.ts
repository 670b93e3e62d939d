import { sql } from 'kysely';
import type { RunId, SeriesId } from '#model';
import { lowestStep, rollupRatio } from './roll-up-series.ts';
import type { IngestScope } from '../../scope.ts';

/**
 * Queues the series that have enough chunks after their rollups for another row. Runs in the
 * transaction that stores chunks.
 */
export async function noteSeriesToRollUp({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<void> {
  if (seriesIds.length === 0) return;
  await sql`/* prepared: note-series-to-roll-up */ insert into series_to_roll_up (tenant_id, run_id, series_id)
    select ${tenantId}::uuid, s.run_id, s.series_id
    from series s
    cross join lateral (
      select (select max(r.last_step) from scalar_rollup r where r.tenant_id = ${tenantId} and r.series_id = s.series_id and r.level = 1) as last_step
      offset 0
    ) l
    cross join lateral (select coalesce(l.last_step, ${lowestStep}) as bound offset 0) b
    cross join lateral (
      select count(*) as chunks from (
        select from scalar_chunk c
        where c.tenant_id = ${tenantId} and c.series_id = s.series_id and not c.superseded
          and c.first_step >= b.bound and c.first_step is distinct from l.last_step
        order by c.first_step limit ${rollupRatio + 1}
      ) c
    ) n
    where s.tenant_id = ${tenantId} and s.series_id = any(${[...seriesIds]}::bigint[]) and n.chunks > ${rollupRatio}
    on conflict (tenant_id, run_id, series_id) do nothing`.execute(trx);
}

/** At most `limit` of a run's series that are queued for rollup. */
export async function listSeriesToRollUp({ trx, tenantId }: IngestScope, runId: RunId, limit: number): Promise<SeriesId[]> {
  const { rows } = await sql<{ series_id: SeriesId }>`
    /* prepared: list-series-to-roll-up */ select series_id from series_to_roll_up where tenant_id = ${tenantId} and run_id = ${runId} order by series_id limit ${limit}`.execute(
    trx,
  );
  return rows.map((row) => row.series_id);
}

/** Removes series from the queue because they are rolled up as far as possible. */
export async function settleSeriesToRollUp({ trx, tenantId }: IngestScope, runId: RunId, seriesIds: readonly SeriesId[]): Promise<void> {
  if (seriesIds.length === 0) return;
  await sql`/* settle-series-to-roll-up */ delete from series_to_roll_up
    where tenant_id = ${tenantId} and run_id = ${runId} and series_id = any(${[...seriesIds]}::bigint[])`.execute(trx);
}
