import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from '../../database.ts';
import { PreparingClient } from '../../driver/preparing-client.ts';
import { TenantScope } from '../../scope.ts';
import { Plans } from '../../testing/plans.ts';
import type { OrderKey } from './filter-sql.ts';
import { listExperiments, readExperiment } from './list-experiments.ts';
import { readNewestRuns } from './read-newest-runs.ts';

const tenantId = tenantIdOf('00000000-0000-0000-0000-00000000000a');
const personId = '00000000-0000-0000-0000-00000000000b';
const large = experimentIdOf('l'.repeat(22));
const runs = 30_000;
const experiments = 10_000;
const newestFirst: OrderKey[] = [
  { field: 'created', argument: null, descending: true },
  { field: 'id', argument: null, descending: false },
];

describeWith(['plain-postgres'], 'experiments of a large workspace, one with very many runs', () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let plans: Plans;

  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1, Client: PreparingClient });
    const client = await pool.connect();
    await client.query(`set session_replication_role = replica`); // rows without those that they refer to
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    plans = await Plans.of(client);
    client.release();
    db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
    await sql`insert into person (person_id, display_name) values (${personId}, 'Ada')`.execute(db);
    await sql`
      insert into experiment (tenant_id, experiment_id, name, description, owner_id, created_at, updated_at)
      select ${tenantId}, case n when 0 then ${large} else lpad(n::text, 22, '0') end, 'n' || n / 3, '', ${personId},
        date_trunc('second', now()) - (n + 1) / 2 * interval '1 second', now() + n % 1000 * interval '1 second'
      from generate_series(0, ${experiments}::integer) n`.execute(db);
    await sql`insert into experiment_epoch (tenant_id, experiment_id) select tenant_id, experiment_id from experiment`.execute(db);
    await sql`update experiment_epoch set acknowledged_at = now() - right(experiment_id, 2)::integer * interval '1 second' where experiment_id like '%5_'`.execute(
      db,
    );
    // Every thousandth run is being deleted. Run n has n % 7 points in two scalar series, and every
    // hundredth run also has 3 tensors.
    await sql`
      insert into run (tenant_id, run_id, experiment_id, name, name_hash, deleted_at) overriding system value
      select ${tenantId}, n, ${large}, 'run' || n, int4send(n), case n % 1000 when 0 then now() end from generate_series(1, ${runs}::integer) n`.execute(
      db,
    );
    await sql`
      insert into run_state (tenant_id, run_id, experiment_id, events, points)
      select ${tenantId}, n, ${large}, n % 2, 2 * (n % 7) + case n % 100 when 0 then 3 else 0 end from generate_series(1, ${runs}::integer) n`.execute(
      db,
    );
    const series = (tag: string, dataClass: string, every: number, first: number, points: ReturnType<typeof sql>) =>
      sql`
      with made as (
        insert into series (tenant_id, series_id, experiment_id, run_id, tag, tag_hash, twin, data_class, listed, plugin, plugin_content, display_name, description)
        overriding system value
        select ${tenantId}, ${first}::int8 + n, ${large}, n, ${tag}, ${Buffer.from(tag)}, false, ${dataClass}, true, '', '', '', ''
        from generate_series(${every}::integer, ${runs}::integer, ${every}::integer) n returning series_id, run_id as n
      )
      insert into series_stats (tenant_id, series_id, points, superseded_points, invalid_points, mismatched_points, rounded_points, nan_count)
      select ${tenantId}, series_id, ${points}, 0, 0, 0, 0, 0 from made`.execute(db);
    await series('loss', 'scalar', 1, 0, sql`n % 7`);
    await series('accuracy', 'scalar', 1, 100_000, sql`n % 7`);
    await series('histogram', 'tensor', 100, 200_000, sql`3`);
    await sql`analyze`.execute(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  /** The counts according to the series themselves. */
  const counted = async () => {
    const { rows } = await sql<{ scalars: string; tensors: string; runs: string }>`
      select coalesce(sum(v.points) filter (where s.data_class = 'scalar'), 0) as scalars,
        coalesce(sum(v.points) filter (where s.data_class = 'tensor'), 0) as tensors,
        count(distinct r.run_id) filter (where t.events > 0) as runs
      from run r join run_state t using (tenant_id, run_id) join series s using (tenant_id, run_id) join series_stats v using (tenant_id, series_id)
      where r.tenant_id = ${tenantId} and r.deleted_at is null`.execute(db);
    return { points: Number(rows[0]!.scalars), tensors: Number(rows[0]!.tensors), runs: Number(rows[0]!.runs), blobSequences: 0 };
  };

  const orders = ['created', 'name', 'updated', 'owner', 'description', 'archived', 'received', 'id'].flatMap((field) =>
    [false, true].map((descending): [string, OrderKey[]] => [
      `${field}${descending ? ' desc' : ''}`,
      [{ field, argument: null, descending }, ...(field === 'id' ? [] : [{ field: 'id', argument: null, descending }])],
    ]),
  );
  const byIndex = /^(created|name|updated)/;

  it.each([['the default', newestFirst] as [string, OrderKey[]], ...orders])(
    'pages by %s are consecutive, and use an index where there is one',
    async (name, order) => {
      const scope = new TenantScope(tenantId, db);
      const request = { filter: null, order, within: null };
      const all = (await listExperiments(scope, { ...request, limit: 3_000, after: null }))!;
      expect(new Set(all.map(({ experimentId }) => experimentId)).size).toBe(3_000);
      for (const place of [0, 1_499, 2_949]) {
        plans.clear();
        const page = await listExperiments(scope, { ...request, limit: 50, after: all[place]!.experimentId });
        expect(page!.map(({ experimentId }) => experimentId)).toEqual(
          all.slice(place + 1, place + 51).map(({ experimentId }) => experimentId),
        );
        if (name === 'the default' || byIndex.test(name)) {
          expect(plans.table('experiment').rows).toBeLessThanOrEqual(100);
          expect(plans.table('experiment_epoch').rows).toBeLessThanOrEqual(100);
        }
      }
    },
  );

  it('a page after the last experiment is empty', async () => {
    const scope = new TenantScope(tenantId, db);
    const [last] = (await listExperiments(scope, {
      filter: null,
      order: [{ field: 'name', argument: null, descending: true }],
      limit: 1,
      after: null,
      within: null,
    }))!;
    const order = [
      { field: 'name', argument: null, descending: false },
      { field: 'id', argument: null, descending: false },
    ];
    expect(last!.name).toBe('n999');
    const beyond = await listExperiments(scope, { filter: null, order, limit: 50, after: last!.experimentId, within: null });
    expect(beyond!.length).toBeLessThanOrEqual(2); // experiments with the same name
  });

  it('have newest runs and their series, however many other runs exist', async () => {
    // The newest runs are being deleted, are archived, or have no events. All other runs started
    // earlier
    await sql`update run_state set start_time = run_id`.execute(db);
    await sql`update run set archived_at = now() where run_id = ${runs - 1}`.execute(db);
    await sql`
      insert into series (tenant_id, series_id, experiment_id, run_id, tag, tag_hash, twin, data_class, listed, plugin, plugin_content, display_name, description)
      overriding system value
      select ${tenantId}, 1000000 + n, ${large}, ${runs - 3}, 'layer' || n, sha256(('layer' || n)::bytea), false, 'scalar', true, '', '', '', ''
      from generate_series(1, 12000) n`.execute(db);
    await sql`analyze`.execute(db);
    const scope = new TenantScope(tenantId, db);
    const page = (await listExperiments(scope, { filter: null, order: newestFirst, limit: 50, after: null, within: null }))!;
    const ids = page.map(({ experimentId }) => experimentId);
    await readNewestRuns(scope, ids, ['layer7']);
    plans.clear();
    const found = await readNewestRuns(scope, ids, ['layer7']);
    expect(found).toMatchObject([{ experimentId: large, run: `run${runs - 3}`, state: 'unknown' }]);
    expect(found[0]!.series.map(({ tag }) => tag)).toContain('layer7');
    expect(found[0]!.series.length).toBeLessThanOrEqual(65);
    expect(plans.table('run_state').rows).toBeLessThanOrEqual(10);
    expect(plans.table('series').rows).toBeLessThanOrEqual(130);
    expect(plans.rowsHandled).toBeLessThan(2_000);
  });

  it('count by series statistics, without those of scalar series', async () => {
    const expected = await counted();
    expect(expected.points).toBeGreaterThan(100_000);
    plans.clear();
    const scope = new TenantScope(tenantId, db);
    const page = await listExperiments(scope, { filter: null, order: newestFirst, limit: 51, after: null, within: null });
    expect(plans.table('experiment').rows).toBeLessThanOrEqual(51);
    expect(plans.table('series_stats').rows).toBeLessThanOrEqual(runs / 100);
    expect(plans.table('run_tail').rows).toBe(0);
    expect(plans.table('run').rows).toBeLessThanOrEqual(runs / 1_000 + 51);
    expect(page!.length).toBe(51);
    expect(page![0]).toMatchObject({ experimentId: large, ...expected });
    expect(page![1]).toMatchObject({ points: 0, runs: 0 });
    expect(await readExperiment(scope, large)).toMatchObject(expected);
    expect(await readExperiment(scope, large, { runs: ['run1', 'run2'], tags: null, anonymous: false })).toMatchObject({ runs: 0 }); // no hash of these names
  });
});
