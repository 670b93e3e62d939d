import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { rollupRatio } from './scalar-rollups.ts';

/** Notes those of the series that have enough chunks behind their rollups for another one; in the transaction that stores chunks. */
export async function noteSeriesToRollUp(trx: Kysely<Database>, tenantId: string, seriesIds: readonly string[]): Promise<void> {
  if (seriesIds.length === 0) return;
  await sql`insert into series_to_roll_up (tenant_id, run_id, series_id)
    select ${tenantId}::uuid, s.run_id, s.series_id
    from series s
    left join lateral (
      select r.last_step from scalar_rollup r where r.tenant_id = ${tenantId} and r.series_id = s.series_id and r.level = 1
      order by r.last_step desc limit 1
    ) l on true
    cross join lateral (
      select count(*) as chunks from (
        select from scalar_chunk c
        where c.tenant_id = ${tenantId} and c.series_id = s.series_id and not c.superseded
          and c.first_step >= coalesce(l.last_step, -9223372036854775808) and c.first_step is distinct from l.last_step
        order by c.first_step limit ${rollupRatio + 1}
      ) c
    ) n
    where s.tenant_id = ${tenantId} and s.series_id = any(${[...seriesIds]}::bigint[]) and n.chunks > ${rollupRatio}
    on conflict (tenant_id, run_id, series_id) do nothing`.execute(trx);
}

/** At most `limit` series of a run that wait for being rolled up. */
export async function listSeriesToRollUp(trx: Kysely<Database>, tenantId: string, runId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ series_id: string }>`
    select series_id from series_to_roll_up where tenant_id = ${tenantId} and run_id = ${runId} order by series_id limit ${limit}`.execute(
    trx,
  );
  return rows.map((row) => row.series_id);
}

/** These series are rolled up as far as they can be. */
export async function settleSeriesToRollUp(
  trx: Kysely<Database>,
  tenantId: string,
  runId: string,
  seriesIds: readonly string[],
): Promise<void> {
  if (seriesIds.length === 0) return;
  await sql`delete from series_to_roll_up
    where tenant_id = ${tenantId} and run_id = ${runId} and series_id = any(${[...seriesIds]}::bigint[])`.execute(trx);
}
