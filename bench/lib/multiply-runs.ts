import { sweepTags } from './generate-sweep.ts';
import type { Database } from './postgres.ts';

/**
 * Adds copies of the runs of a `generateSweep` experiment until it has `runs` runs, each with its
 * own name, learning rate and values. This takes seconds, while uploading 10,000 files would take
 * as many transactions. Lists of runs read only these tables; charts would show the points of the
 * copied runs.
 */
export async function multiplyRuns(database: Database, experimentId: string, runs: number): Promise<void> {
  await database.inOneTransaction([
    { text: 'select setseed(0.5)' },
    {
      text: `create temp table run_copy on commit drop as
        with source as materialized (
          select r.*, row_number() over (order by r.run_id) - 1 as place, count(*) over () as total from run r where r.experiment_id = $1)
        select s.tenant_id, s.run_id as source_id, nextval(pg_get_serial_sequence('run', 'run_id')) as run_id,
          'run-' || lpad(n::text, 5, '0') as name, n, (random() - 0.5) * 0.1 as shift, power(10, -4 + 3 * random()) as lr
        from generate_series((select max(total) from source), $2::int8 - 1) n join source s on s.place = n % s.total`,
      values: [experimentId, runs],
    },
    {
      text: `insert into run overriding system value select (jsonb_populate_record(r, jsonb_build_object(
          'run_id', c.run_id, 'name', c.name, 'name_hash', sha256(c.name::bytea)))).*
        from run_copy c join run r on r.tenant_id = c.tenant_id and r.run_id = c.source_id`,
    },
    {
      text: `insert into run_state select (jsonb_populate_record(s, jsonb_build_object(
          'run_id', c.run_id, 'start_time', s.start_time + c.n, 'last_time', s.last_time + c.n + 0.1 * c.shift,
          'hparams', jsonb_set(s.hparams, '{lr}', to_jsonb(c.lr))))).*
        from run_copy c join run_state s on s.tenant_id = c.tenant_id and s.run_id = c.source_id`,
    },
    {
      text: `create temp table series_copy on commit drop as
        select c.run_id, s.tenant_id, s.series_id as source_id, nextval(pg_get_serial_sequence('series', 'series_id')) as series_id,
          case s.tag when $1 then -c.shift when $2 then c.shift else 0 end as shift
        from run_copy c join series s on s.tenant_id = c.tenant_id and s.run_id = c.source_id`,
      values: sweepTags,
    },
    {
      text: `insert into series overriding system value select (jsonb_populate_record(s, jsonb_build_object(
          'series_id', c.series_id, 'run_id', c.run_id))).*
        from series_copy c join series s on s.tenant_id = c.tenant_id and s.series_id = c.source_id`,
    },
    ...['series_stats', 'scalar_chunk'].map((table) => ({
      text: `insert into ${table} select (jsonb_populate_record(v, jsonb_build_object('series_id', c.series_id,
          'last_value', v.last_value + c.shift, 'min_value', v.min_value + c.shift, 'max_value', v.max_value + c.shift))).*
        from series_copy c join ${table} v on v.tenant_id = c.tenant_id and v.series_id = c.source_id`,
    })),
  ]);
  await database.settle();
}
