import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeTail, encodeTail } from '#chunks';
import type { FileId, RunId, SeriesId, SeriesMeta } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from '../../store.ts';
import { copyExperiment } from '../snapshots/copy-experiment.ts';
import { ensureRun } from './ensure-run.ts';
import { insertExperiment } from '../experiments/insert-experiment.ts';
import { insertFile } from './insert-file.ts';
import { insertPerson } from '../people/insert-person.ts';
import { insertWorkspace } from '../workspaces/insert-workspace.ts';
import { renameTails } from './rename-tails.ts';
import { insertSeries } from '../points/run-series.ts';

const meta = (tag: string): SeriesMeta => ({
  tag,
  twin: false,
  dataClass: 'scalar',
  listed: true,
  plugin: 'scalars',
  pluginContent: new Uint8Array(),
  displayName: '',
  description: '',
});

describeWith(['postgres'], 'tails of a copy', () => {
  const tenantId = tenantIdOf(randomUUID());
  const [from, whole, part] = [experimentIdOf('s'.repeat(22)), experimentIdOf('w'.repeat(22)), experimentIdOf('p'.repeat(22))];
  const runs = 7;
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const ownerId = randomUUID();
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      for (const experimentId of [from, whole, part])
        await insertExperiment(scope, { experimentId, name: 'x', description: '', ownerId, labels: [] });
    });
    for (let run = 0; run < runs; run++) {
      const { runId, fileId } = await store.withTenant(tenantId, async (scope) => {
        const own = (await ensureRun(scope, from, `run ${run}`))!;
        return { runId: own, fileId: (await insertFile(scope, { experimentId: from, runId: own, name: `events.${run}`, version: 1 }))! };
      });
      const series = await store.withIngest(tenantId, (scope) => insertSeries(scope, from, runId, ['loss', 'acc'].map(meta), 0));
      // The blocks of run 3 have only series that the partial copy omits.
      for (let no = 0; no < 2; no++) await addTail(runId, fileId, run === 3 ? [series[1]!] : series, no, run);
    }
    for (const [to, tags] of [
      [whole, null],
      [part, ['loss']],
    ] as const)
      await store.withTenant(tenantId, (scope) => copyExperiment(scope, { from, to, view: { runs: null, tags, anonymous: false } }));
  });
  afterAll(async () => {
    await admin?.end();
    await store?.close();
    await database?.drop();
  });

  async function addTail(runId: RunId, fileId: FileId, series: readonly SeriesId[], no: number, value: number): Promise<void> {
    const points = { steps: BigInt64Array.of(BigInt(no)), wallTimes: Float64Array.of(1 + no), values: Float64Array.of(value) };
    const body = encodeTail(series.map((seriesId) => ({ seriesId, fileId, firstOrdinal: no, afterOffset: 0, points })));
    await admin.query(
      `insert into run_tail (tenant_id, run_id, tail_no, part, level, points, first_series, last_series, body)
       values ($1, $2, $3, 0, 0, $4, $5, $6, $7)`,
      [tenantId, runId, no, series.length, series[0], series.at(-1), body],
    );
  }

  /** All tail rows, with names instead of ids. */
  async function tailsOf(experimentId: string): Promise<object[]> {
    const { rows } = await admin.query<{ name: string; tail_no: string; points: number; first: string; last: string; body: Buffer }>(
      `select r.name, t.tail_no, t.points, t.first_series as first, t.last_series as last, t.body
       from run_tail t join run r using (tenant_id, run_id) where r.experiment_id = $1 order by r.name, t.tail_no`,
      [experimentId],
    );
    const names = await admin.query<{ id: string; name: string }>(
      `select s.series_id as id, r.name || ' ' || s.tag as name from series s join run r using (tenant_id, run_id) where r.experiment_id = $1
       union all select f.file_id, r.name || ' ' || f.name from event_file f join run r using (tenant_id, run_id) where r.experiment_id = $1`,
      [experimentId],
    );
    const seriesNames = new Map(names.rows.filter(({ name }) => !name.includes('events')).map(({ id, name }) => [id, name]));
    const fileNames = new Map(names.rows.filter(({ name }) => name.includes('events')).map(({ id, name }) => [id, name]));
    return rows.map(({ name, tail_no: no, points, first, last, body }) => ({
      name,
      no,
      points,
      first: seriesNames.get(first),
      last: seriesNames.get(last),
      entries: decodeTail(body).map((entry) => ({
        ...entry,
        seriesId: seriesNames.get(entry.seriesId),
        fileId: fileNames.get(entry.fileId),
      })),
    }));
  }

  it('name its own series and files', async () => {
    const source = await tailsOf(from);
    expect(source).toHaveLength(2 * runs);
    expect(source[0]).toMatchObject({ points: 2, first: 'run 0 loss', last: 'run 0 acc', entries: [{ fileId: 'run 0 events.0' }, {}] });
    expect(await tailsOf(whole)).toEqual(source);
  });

  it('have only the points of what was copied', async () => {
    const tails = await tailsOf(part);
    expect(tails).toHaveLength(2 * (runs - 1));
    expect(tails[0]).toMatchObject({ points: 1, first: 'run 0 loss', last: 'run 0 loss', entries: [{ seriesId: 'run 0 loss' }] });
    expect(JSON.stringify(tails.map((tail) => Object.values(tail).slice(0, 5)))).not.toContain('acc');
  });

  it.each([
    { runs: 2, bytes: 1 },
    { runs: 3, bytes: 1_000 },
    { runs: 100, bytes: 1_000_000 },
  ])('are the same in slices of %o', async (slices) => {
    const { rows } = await admin.query<{ source: RunId; copy: RunId }>(
      `select o.run_id as source, n.run_id as copy from run o join run n on n.tenant_id = o.tenant_id and n.name = o.name
       where o.experiment_id = $1 and n.experiment_id = $2 order by n.run_id`,
      [from, whole],
    );
    const pairs = rows.map(({ source, copy }) => [source, copy] as const);
    for (const [source, copy] of pairs) {
      const tails = await admin.query('select tail_no, body from run_tail where tenant_id = $1 and run_id = $2', [tenantId, source]);
      for (const { tail_no: tailNo, body } of tails.rows)
        await admin.query(
          `update run_tail set body = $4, first_series = 0, last_series = 0, points = 0
           where tenant_id = $1 and run_id = $2 and tail_no = $3`,
          [tenantId, copy, tailNo, body],
        );
    }
    await store.withTenant(tenantId, (scope) => renameTails(scope, pairs, slices));
    expect(await tailsOf(whole)).toEqual(await tailsOf(from));
  });
});
