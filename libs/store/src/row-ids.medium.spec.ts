import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId, FileId, RunId, SeriesId, SeriesMeta, TenantId } from '#model';
import { experimentIdOf, fileIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { type AuditEntry, insertAuditEntry, listAuditEntries, type NewAuditEntry } from './queries/workspaces/audit-entries.ts';
import { copyExperiment } from './queries/snapshots/copy-experiment.ts';
import { ensureRun } from './queries/ledger/ensure-run.ts';
import { insertExperiment } from './queries/experiments/insert-experiment.ts';
import { insertFile } from './queries/ledger/insert-file.ts';
import { insertPerson } from './queries/people/insert-person.ts';
import { insertWorkspace } from './queries/workspaces/insert-workspace.ts';
import { type ExperimentFile, listFiles } from './queries/experiments/list-files.ts';
import { listProblems, type StoredProblem } from './queries/ledger/list-problems.ts';
import { listRunStates } from './queries/experiments/list-run-states.ts';
import { insertSeries } from './queries/points/run-series.ts';
import { firstPrefix, idsPerPrefix, type Neighborhood, RowIds } from './row-ids.ts';
import { Store } from './store.ts';

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
const entry = (action: string): NewAuditEntry => ({
  actorId: null,
  via: 'service',
  action,
  result: 'done',
  experimentId: null,
  objectId: null,
  details: {},
  address: null,
  requestId: null,
});
const everything = { action: null, actorId: null, experimentId: null, result: null, from: null, until: null };
const ownerId = randomUUID();

interface Lab {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
}

async function makeExperiment(store: Store, { tenantId, experimentId }: Lab): Promise<void> {
  await store.withTenant(tenantId, async (scope) => {
    await insertWorkspace(scope, 'Lab');
    await insertExperiment(scope, { experimentId, name: 'x', description: '', ownerId, labels: [] });
  });
}

async function announce(
  store: Store,
  { tenantId, experimentId }: Lab,
  run: string,
  name: string,
): Promise<{ runId: RunId; fileId: FileId }> {
  return store.withTenant(tenantId, async (scope) => {
    const runId = (await ensureRun(scope, experimentId, run))!;
    return { runId, fileId: (await insertFile(scope, { experimentId, runId, name, version: 1 }))! };
  });
}

function addSeries(store: Store, { tenantId, experimentId }: Lab, runId: RunId, tags: readonly string[]): Promise<SeriesId[]> {
  return store.withIngest(tenantId, (scope) => insertSeries(scope, experimentId, runId, tags.map(meta), 0));
}

/** Creates the rows for an upload of one file. Returns all IDs that the workspace sees. */
async function upload(store: Store, lab: Lab, step: number): Promise<string[]> {
  const { runId, fileId } = await announce(store, lab, `run ${step % 3}`, `events.${step}`);
  const series = await addSeries(
    store,
    lab,
    runId,
    [1, 2, 3].map((n) => `tag ${step}.${n}`),
  );
  const [audited] = await store.withTenant(lab.tenantId, async (scope) => {
    await insertAuditEntry(scope, entry('run.update'));
    return listAuditEntries(scope, everything, { after: null, limit: 1 });
  });
  return [runId, fileId, ...series, audited!.entryId];
}

describeWith(['postgres'], 'ids of rows', () => {
  const databases: TestDatabase[] = [];
  const stores: Store[] = [];
  let admin: pg.Client;
  let experiments = 0;
  let prefix = firstPrefix;
  const tenantId = tenantIdOf(randomUUID());
  const newLab = (): Lab => ({ tenantId, experimentId: experimentIdOf(String(++experiments).padStart(22, 'e')) });
  const newPrefix = (): number => ++prefix;

  async function newDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    databases.push(database);
    const store = openStore(new RowIds(), database);
    await insertPerson(store.global, ownerId, 'Ada');
    return database;
  }

  /** Acts as another process, with its own IDs. */
  function openStore(rowIds: RowIds, database = databases[0]!): Store {
    const store = new Store({ ...database, rowIds });
    stores.push(store);
    return store;
  }

  const drawing = (...prefixes: number[]): Store => openStore(new RowIds(() => prefixes.shift()!));
  const firstOf = (drawn: number): string => String(drawn * idsPerPrefix);
  const rows = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => (await admin.query(text, values)).rows;

  beforeAll(async () => {
    const { adminUrl } = await newDatabase();
    admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    for (const store of stores) await store.close();
    for (const database of databases) await database.drop();
  });

  it('do not depend on uploads of other workspaces', async () => {
    const mine: Lab = { tenantId: tenantIdOf(randomUUID()), experimentId: experimentIdOf('m'.repeat(22)) };
    const theirs: Lab = { tenantId: tenantIdOf(randomUUID()), experimentId: experimentIdOf('t'.repeat(22)) };
    const seeded = () => {
      const drawn = new Map<Neighborhood, number>();
      return new RowIds((neighborhood) => {
        const n = drawn.get(neighborhood) ?? 0;
        drawn.set(neighborhood, n + 1);
        return firstPrefix + createHash('sha256').update(`${neighborhood} ${n}`).digest().readUInt32BE();
      });
    };
    const seen = async (others: number): Promise<string[]> => {
      const store = openStore(seeded(), await newDatabase());
      for (const lab of [mine, theirs]) await makeExperiment(store, lab);
      const ids: string[] = [];
      for (let step = 0; step < 6; step++) {
        for (let n = 0; n < others * (step % 3); n++) await upload(store, theirs, step * 100 + n);
        ids.push(...(await upload(store, mine, step)));
      }
      return ids;
    };
    const alone = await seen(0);
    expect(await seen(2)).toEqual(alone);
    for (const id of alone) expect(Number.isSafeInteger(Number(id)) && Number(id) >= 2 ** 40).toBe(true);
  });

  it('differ if two processes drew the same prefix, and every row is stored', async () => {
    for (const kind of ['run', 'file', 'series', 'entry'] as const) {
      const lab = newLab();
      const [p, q] = [newPrefix(), newPrefix()];
      const [first, second] = [drawing(p), drawing(p, p, q)];
      await makeExperiment(first, lab);
      const { runId } = await announce(openStore(new RowIds()), lab, 'both', 'events.0');
      const make = {
        run: (store: Store, n: number) => store.withTenant(tenantId, (scope) => ensureRun(scope, lab.experimentId, `run ${n}`)),
        file: (store: Store, n: number) =>
          store.withTenant(tenantId, (scope) => insertFile(scope, { ...lab, runId, name: `events.${n}`, version: 1 })),
        series: async (store: Store, n: number) => (await addSeries(store, lab, runId, [`tag ${n}`]))[0],
        entry: (store: Store, n: number) =>
          store.withTenant(tenantId, async (scope) => {
            await insertAuditEntry(scope, entry(`action ${n}`));
            return (await listAuditEntries(scope, everything, { after: null, limit: 1 }))[0]!.entryId;
          }),
      }[kind];
      expect([kind, await make(first, 1), await make(second, 2), await make(second, 3)]).toEqual([
        kind,
        firstOf(p),
        firstOf(q),
        String(q * idsPerPrefix + 1),
      ]);
    }
  });

  it('are found for every series of a batch, even if some are taken', async () => {
    const lab = newLab();
    const [p, q] = [newPrefix(), newPrefix()];
    const [first, second] = [drawing(p), drawing(p, q)];
    await makeExperiment(first, lab);
    const { runId } = await announce(openStore(new RowIds()), lab, 'run', 'events');
    const [a] = await addSeries(first, lab, runId, ['a']);
    const tags = ['b', 'c', 'd'];
    const ids = await addSeries(second, lab, runId, tags);
    expect([a, ...ids]).toEqual([firstOf(p), firstOf(q), String(p * idsPerPrefix + 1), String(p * idsPerPrefix + 2)]);
    const stored = await rows('select tag, series_id from series where tenant_id = $1 and run_id = $2 order by tag', [tenantId, runId]);
    expect(stored).toEqual([{ tag: 'a', series_id: a }, ...tags.map((tag, i) => ({ tag, series_id: ids[i] }))]);
  });

  it('are retried a bounded number of times if a row exists for another reason', async () => {
    const lab = newLab();
    const store = drawing(newPrefix(), newPrefix(), newPrefix(), newPrefix(), newPrefix());
    await makeExperiment(store, lab);
    const { runId } = await announce(openStore(new RowIds()), lab, 'run', 'events');
    await addSeries(store, lab, runId, ['twice']);
    await expect(addSeries(store, lab, runId, ['once', 'twice'])).rejects.toThrow('no free ids');
    expect(await rows('select tag from series where tenant_id = $1 and run_id = $2', [tenantId, runId])).toEqual([{ tag: 'twice' }]);
  });

  it('have no order: files, runs, problems and entries are listed as they arrived, beside those of an older version', async () => {
    const lab: Lab = { ...newLab(), tenantId: tenantIdOf(randomUUID()) };
    let last = firstPrefix + 1_000_000;
    const rowIds = new RowIds(() => --last);
    const store = openStore(rowIds);
    await makeExperiment(store, lab);
    const names: string[] = [];
    for (let n = 0; n < 9; n++) {
      rowIds.forget(lab.experimentId);
      rowIds.forget(lab.tenantId);
      const name = `events.${n}`;
      names.push(name);
      if (n % 3 < 2) await announce(store, lab, `run ${n}`, name);
      else {
        const [run] = await rows(
          `insert into run (tenant_id, experiment_id, name, name_hash) values ($1, $2, $3, sha256(convert_to($3, 'UTF8'))) returning run_id`,
          [lab.tenantId, lab.experimentId, `run ${n}`],
        );
        const [file] = await rows(
          `insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version)
           values ($1, $2, $3, $4, sha256(convert_to($4, 'UTF8')), 1) returning file_id`,
          [lab.tenantId, lab.experimentId, run!['run_id'], name],
        );
        expect(Number(file!['file_id'])).toBeLessThan(2 ** 40);
      }
      await store.withTenant(lab.tenantId, (scope) => insertAuditEntry(scope, entry(name)));
    }
    await rows(
      `insert into run_state (tenant_id, run_id, experiment_id, events) select tenant_id, run_id, experiment_id, 1 from run where tenant_id = $1`,
      [lab.tenantId],
    );
    await rows(
      `insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
       select tenant_id, file_id, o, 0, run_id, experiment_id, 'corrupt-record', '', 1, false from event_file, generate_series(1, 3) o where tenant_id = $1`,
      [lab.tenantId],
    );
    await store.withTenant(lab.tenantId, async (scope) => {
      const files = await pages((after: ExperimentFile | null) => listFiles(scope, lab.experimentId, 2, after?.fileId ?? null, null));
      expect(files.map(({ name }) => name)).toEqual(names);
      const ids = files.map(({ fileId }) => Number(fileId));
      expect(ids).not.toEqual(ids.toSorted((a, b) => a - b));
      const problems = await pages((after: StoredProblem | null) => listProblems(scope, lab.experimentId, 4, after, null));
      expect(problems.map(({ file, offset }) => `${file} ${offset}`)).toEqual(
        names.flatMap((name) => [1, 2, 3].map((o) => `${name} ${o}`)),
      );
      const runs = await listRunStates(scope, lab.experimentId, null);
      expect(runs.map(({ run }) => run)).toEqual(names.map((_, n) => `run ${n}`));
      for (const oldestFirst of [false, true]) {
        const entries = await pages((after: AuditEntry | null) => listAuditEntries(scope, everything, { after, limit: 2, oldestFirst }));
        expect(entries.map(({ action }) => action)).toEqual(oldestFirst ? names : names.toReversed());
      }
      expect(
        await listProblems(scope, lab.experimentId, 4, { fileId: fileIdOf(firstOf(last - 1)), offset: 0, number: 0 }, null),
      ).toBeNull();
    });
  });

  it('of a copy follow the order of its source, with another prefix if one is taken', async () => {
    const [from, to] = [newLab(), newLab()];
    const [p, q] = [newPrefix(), newPrefix()];
    const store = openStore(new RowIds());
    for (const lab of [from, to]) await makeExperiment(store, lab);
    for (let n = 0; n < 4; n++) {
      const { runId } = await announce(store, from, `run ${n}`, `events.${n}`);
      await addSeries(store, from, runId, ['loss', `only ${n}`]);
    }
    // Series in another experiment have the IDs that the copy tries first.
    const other = newLab();
    await makeExperiment(store, other);
    const { runId } = await announce(store, other, 'run', 'events');
    await addSeries(drawing(p), other, runId, ['a', 'b', 'c']);
    await drawing(p, q).withTenant(tenantId, (scope) =>
      copyExperiment(scope, { from: from.experimentId, to: to.experimentId, view: { runs: null, tags: null, anonymous: false } }),
    );
    const contents = async (lab: Lab) =>
      rows(
        `select r.run_id, r.name as run, f.file_id, f.name as file, s.series_id, s.tag, f.created_at from run r
         join event_file f on f.tenant_id = r.tenant_id and f.run_id = r.run_id join series s on s.tenant_id = r.tenant_id and s.run_id = r.run_id
         where r.tenant_id = $1 and r.experiment_id = $2 order by r.name, s.series_id`,
        [tenantId, lab.experimentId],
      );
    const names = (found: Record<string, unknown>[]) => found.map(({ run, file, tag, created_at }) => ({ run, file, tag, created_at }));
    const copied = await contents(to);
    expect(names(copied)).toEqual(names(await contents(from)));
    expect(copied.map(({ series_id }) => series_id)).toEqual(copied.map((_, i) => String(q * idsPerPrefix + i)));
    expect(copied.map(({ run_id }) => run_id)).toEqual(copied.map((_, i) => String(q * idsPerPrefix + Math.floor(i / 2))));
    expect(copied.map(({ file_id }) => file_id)).toEqual(copied.map(({ run_id }) => run_id));
    expect(await rows('select from series where tenant_id = $1 and experiment_id = $2', [tenantId, other.experimentId])).toHaveLength(3);
  });
});

/** All items of a list, page by page. */
async function pages<T>(read: (after: T | null) => Promise<readonly T[] | null>): Promise<T[]> {
  const items: T[] = [];
  for (let page = await read(null); page !== null && page.length > 0; page = await read(items.at(-1)!)) items.push(...page);
  return items;
}
