import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId, RunId } from '#model';
import { experimentIdOf, fileIdOf, tenantIdOf } from '#model/testing';
import {
  advanceEpoch,
  claimRun,
  deleteExperiment,
  ensureRun,
  insertExperiment,
  insertPendingSegments,
  insertPerson,
  insertWorkspace,
  removePendingSegments,
  settleSegments,
  Store,
  tellSettled,
  tombstoneRuns,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { type PublishListener, wakeReaders } from './published.ts';
import { publishEpochs } from './publish-epochs.ts';
import { Publisher } from './publisher.ts';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 25);

class Crash extends Error {}

/**
 * Operations on an experiment, of one or two transactions each. `dies`: the operation dies just
 * before it commits. `turns`: how long it stays open.
 */
type Deed =
  | { readonly kind: 'acknowledge'; readonly run: number; readonly segments: number; readonly dies: boolean; readonly turns: number }
  | { readonly kind: 'ingest'; readonly run: number; readonly max: number; readonly dies: boolean; readonly turns: number }
  | { readonly kind: 'publish'; readonly dies: boolean; readonly rebuild: boolean }
  | { readonly kind: 'delete'; readonly run: number }
  | { readonly kind: 'damage'; readonly what: 'lost-view' | 'lost-changes' | 'wrong-changes' | 'lost-batch' | 'old-batch' };

const dies = fc.nat(5).map((n) => n === 0);
const run = fc.nat(2);
const turns = fc.nat(6);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('acknowledge' as const), run, segments: fc.integer({ min: 1, max: 3 }), dies, turns }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ingest' as const), run, max: fc.integer({ min: 1, max: 6 }), dies, turns }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('publish' as const), dies, rebuild: fc.nat(5).map((n) => n === 0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), run }) },
);
const damage: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constant('damage' as const),
  what: fc.constantFrom(
    'lost-view' as const,
    'lost-changes' as const,
    'wrong-changes' as const,
    'lost-batch' as const,
    'old-batch' as const,
  ),
});

describeWith(['postgres'], 'publishing', () => {
  const tenantId = tenantIdOf(randomUUID());
  const ownerId = randomUUID();
  let database: TestDatabase;
  let admin: pg.Pool;
  let stores: Store[];
  let store: Store;

  beforeAll(async () => {
    database = await createTestDatabase();
    stores = [new Store(database), new Store(database)];
    store = stores[0]!;
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Lab'));
    admin = new pg.Pool({ connectionString: database.adminUrl, max: 2 });
    admin.on('error', () => undefined); // its database may be dropped before it ends
    // A listener for epochs, which only records the call.
    await admin.query('create table notified (experiment_id text, from_epoch bigint, epoch bigint)');
    await admin.query('grant select, insert on notified to plotline_app');
  });
  afterAll(async () => {
    await Promise.all((stores ?? []).map((one) => one.close()));
    await admin?.end();
    await database?.drop();
  });

  const writeDown: PublishListener = async ({ experimentId, fromEpoch, epoch }, { trx }) => {
    await sql`insert into notified (experiment_id, from_epoch, epoch) values (${experimentId}, ${fromEpoch}, ${epoch})`.execute(trx);
  };

  async function makeExperiment(): Promise<{ experimentId: ExperimentId; runIds: RunId[] }> {
    const experimentId = experimentIdOf(randomBytes(11).toString('hex'));
    const runIds = await store.withTenant(tenantId, async (scope) => {
      await insertExperiment(scope, { experimentId, name: '', description: '', ownerId, labels: [] });
      const made: RunId[] = [];
      for (const name of ['a', 'b', 'c']) made.push((await ensureRun(scope, experimentId, name))!);
      return made;
    });
    return { experimentId, runIds };
  }

  /** The published frontier and the ledger's frontier, at the same moment. */
  async function look(experimentId: ExperimentId): Promise<{ published: number; ledger: number }> {
    const { rows } = await admin.query<{ published: string | null; ledger: string }>(
      `select v.published_epoch as published, coalesce((select min(epoch) - 1 from pending_segment p
         where p.tenant_id = $1 and p.experiment_id = $2), a.acknowledged_epoch) as ledger
       from experiment_epoch a left join progress_view v on v.tenant_id = a.tenant_id and v.experiment_id = a.experiment_id
       where a.tenant_id = $1 and a.experiment_id = $2`,
      [tenantId, experimentId],
    );
    const { published, ledger } = rows[0]!;
    return { published: Number(published ?? ledger), ledger: Number(ledger) };
  }

  class World {
    readonly #runIds: readonly RunId[];
    readonly experimentId: ExperimentId;
    /** Why the state was recounted without a request. */
    readonly healed: string[] = [];
    #offset = 0;
    #damaged = false;

    constructor(experimentId: ExperimentId, runIds: readonly RunId[]) {
      this.experimentId = experimentId;
      this.#runIds = runIds;
    }

    async do(what: Deed, by: Store): Promise<void> {
      if (what.kind === 'damage') this.#damaged = true;
      try {
        await this[what.kind](what as never, by);
      } catch (error) {
        // Test code that loses or damages rows takes locks in any order.
        const isDeadlock = error instanceof Error && 'code' in error && error.code === '40P01';
        if (!(error instanceof Crash || (this.#damaged && isDeadlock))) throw error;
      }
    }

    async acknowledge({ run: at, segments, dies: crash, turns: open }: Extract<Deed, { kind: 'acknowledge' }>, by: Store): Promise<void> {
      const { experimentId } = this;
      const ranges = Array.from({ length: segments }, () => ({
        runId: this.#runIds[at]!,
        fileId: fileIdOf('1'),
        offset: this.#offset++,
        length: 1,
      }));
      await by.withTenant(tenantId, async (scope) => {
        const epoch = await advanceEpoch(scope, experimentId, { acknowledged: segments, stored: segments });
        await insertPendingSegments(scope, experimentId, ranges, epoch);
        for (let i = 0; i < open; i++) await turn();
        if (crash) throw new Crash();
      });
    }

    async ingest({ run: at, max, dies: crash, turns: open }: Extract<Deed, { kind: 'ingest' }>, by: Store): Promise<void> {
      const { experimentId } = this;
      const runId = this.#runIds[at]!;
      await by.withIngest(tenantId, async (ingest) => {
        if (!(await claimRun(ingest, runId))) return;
        const rows = await ingest.trx
          .selectFrom('pending_segment')
          .select('offset')
          .where('tenant_id', '=', tenantId)
          .where('run_id', '=', runId)
          .limit(max)
          .execute();
        for (let i = 0; i < open; i++) await turn();
        const offsets = rows.map((row) => Number(row.offset));
        const settled = await settleSegments(ingest, experimentId, runId, [{ fileId: fileIdOf('1'), offsets }]);
        await tellSettled(ingest, experimentId, runId, settled);
        if (crash) throw new Crash();
      });
    }

    async publish({ dies: crash, rebuild }: Extract<Deed, { kind: 'publish' }>, by: Store): Promise<void> {
      const die: PublishListener = () => Promise.reject(new Crash());
      const listeners = [wakeReaders, writeDown, ...(crash ? [die] : [])];
      const onHealed = (reason: string): void => void this.healed.push(reason);
      await publishEpochs(by, tenantId, this.experimentId, { listeners, onHealed }, { rebuild });
    }

    async delete({ run: at }: Extract<Deed, { kind: 'delete' }>, by: Store): Promise<void> {
      const runId = this.#runIds[at]!;
      await by.withTenant(tenantId, (scope) => tombstoneRuns(scope, this.experimentId, [runId]));
      await turn();
      await by.withTenant(tenantId, (scope) => removePendingSegments(scope, this.experimentId, runId));
    }

    async damage({ what }: Extract<Deed, { kind: 'damage' }>): Promise<void> {
      const { experimentId } = this;
      const statements = {
        'lost-view': 'delete from progress_view where experiment_id = $1',
        'lost-changes': `update progress_view set changes = '[]' where experiment_id = $1`,
        'wrong-changes': `update progress_view set changes = '{"no": ["list"]}' where experiment_id = $1`,
        'lost-batch': 'delete from progress_batch where experiment_id = $1',
        'old-batch': 'update progress_batch set number = number + 1000 where experiment_id = $1',
      };
      await admin.query(statements[what], [experimentId]);
    }

    /** Ingests everything that is pending, as workers eventually do. */
    async settle(): Promise<void> {
      for (const at of this.#runIds.keys()) {
        await this.ingest({ kind: 'ingest', run: at, max: 1_000, dies: false, turns: 0 }, store);
        await store.withTenant(tenantId, (scope) => removePendingSegments(scope, this.experimentId, this.#runIds[at]!));
      }
    }
  }

  const calm: PublishListener[] = [writeDown];

  async function check(lanes: readonly (readonly Deed[])[], afterwards: (world: World) => Promise<void>): Promise<World> {
    const { experimentId, runIds } = await makeExperiment();
    const world = new World(experimentId, runIds);
    let quiet = false;
    const working = Promise.all(
      lanes.map(async (deeds, lane) => {
        for (const one of deeds) await world.do(one, stores[lane % 2]!);
      }),
    ).finally(() => {
      quiet = true;
    });
    working.catch(() => undefined); // an error is thrown where the promise is awaited
    let before = 0;
    const watch = async (): Promise<void> => {
      const { published, ledger } = await look(experimentId);
      expect(published).toBeLessThanOrEqual(ledger);
      expect(published).toBeGreaterThanOrEqual(before);
      before = published;
    };
    try {
      while (!quiet) await watch();
    } finally {
      await working;
    }
    await afterwards(world);
    await watch();
    const settledHalf = await look(experimentId);
    expect(settledHalf.published).toBe(settledHalf.ledger);
    await world.settle();
    await publishEpochs(store, tenantId, experimentId, { listeners: calm });
    const end = await look(experimentId);
    const { rows: epochs } = await admin.query<{ epoch: string }>(
      'select acknowledged_epoch as epoch from experiment_epoch where experiment_id = $1',
      [experimentId],
    );
    expect(end).toEqual({ published: Number(epochs[0]!.epoch), ledger: Number(epochs[0]!.epoch) });
    return world;
  }

  /** Gaps in the published epochs, from 1 to the last one. */
  async function notificationGaps(experimentId: ExperimentId): Promise<string[]> {
    const { rows } = await admin.query<{ from_epoch: string; epoch: string }>(
      'select from_epoch, epoch from notified where experiment_id = $1 order by epoch, from_epoch',
      [experimentId],
    );
    const gaps: string[] = [];
    let last = 0;
    for (const row of rows) {
      if (Number(row.from_epoch) !== last + 1) gaps.push(`${row.from_epoch} came after ${last}`);
      last = Number(row.epoch);
    }
    const { published } = await look(experimentId);
    if (last !== published) gaps.push(`${published} is published, ${last} was notified`);
    return gaps;
  }

  it('never goes back or past the ledger, catches up, and notifies once per epoch, whichever process dies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(deed, { maxLength: 12 }), { minLength: 4, maxLength: 4 }), async (lanes) => {
        const world = await check(lanes, async ({ experimentId, healed }) => {
          await publishEpochs(store, tenantId, experimentId, { listeners: calm, onHealed: (reason) => healed.push(reason) });
        });
        expect(world.healed).toEqual([]); // the batches were sufficient
        expect(await notificationGaps(world.experimentId)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('recovers when its own rows are lost or damaged', async () => {
    const lanes = fc.array(fc.array(fc.oneof({ weight: 5, arbitrary: deed }, { weight: 1, arbitrary: damage }), { maxLength: 12 }), {
      minLength: 4,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(lanes, async (deeds) => {
        await check(deeds, async ({ experimentId }) => {
          await publishEpochs(store, tenantId, experimentId, { listeners: calm }, { rebuild: true });
        });
      }),
      { numRuns: runs },
    );
  });

  it('finds epochs without a notification, and repairs lost ones, with several publishers at once', async () => {
    const { experimentId, runIds } = await makeExperiment();
    const world = new World(experimentId, runIds);
    const errors: unknown[] = [];
    const publishers = stores.map(
      (one) => new Publisher(one, { listeners: [writeDown], everyMs: 5, checkEveryMs: 1, onError: (error) => errors.push(error) }),
    );
    const acknowledge = (at: number) => world.acknowledge({ kind: 'acknowledge', run: at, segments: 2, dies: false, turns: 0 }, store);
    await acknowledge(0);
    await acknowledge(1);
    await world.settle();
    await admin.query('delete from progress_batch where experiment_id = $1', [experimentId]);
    await acknowledge(2);
    await acknowledge(0);
    await world.ingest({ kind: 'ingest', run: 2, max: 9, dies: false, turns: 0 }, store);
    for (const publisher of publishers) publisher.start();
    try {
      await expect.poll(() => look(experimentId)).toEqual({ published: 3, ledger: 3 });
      await world.settle();
      await expect.poll(() => look(experimentId)).toEqual({ published: 4, ledger: 4 });
      // A loss after the last message, which no later message reveals.
      await acknowledge(1);
      await publishEpochs(store, tenantId, experimentId, { listeners: [] });
      await admin.query('delete from pending_segment where experiment_id = $1', [experimentId]);
      await expect.poll(() => look(experimentId)).toEqual({ published: 5, ledger: 5 });
    } finally {
      await Promise.all(publishers.map((publisher) => publisher.close()));
    }
    expect(errors).toEqual([]);
    expect(await notificationGaps(experimentId)).toEqual([]);
  });

  it('continues within seconds when another publisher freezes while it holds the view', async () => {
    const { experimentId, runIds } = await makeExperiment();
    const world = new World(experimentId, runIds);
    await world.acknowledge({ kind: 'acknowledge', run: 0, segments: 1, dies: false, turns: 0 }, store);
    await world.settle();
    const thaw = Promise.withResolvers<void>();
    const stuck = Promise.withResolvers<void>();
    const standStill: PublishListener = async () => {
      stuck.resolve();
      await thaw.promise;
    };
    const frozen = publishEpochs(stores[1]!, tenantId, experimentId, { listeners: [standStill] });
    await stuck.promise;
    expect(await publishEpochs(store, tenantId, experimentId, { listeners: [writeDown] })).toEqual({ kind: 'busy' });
    await expect
      .poll(() => publishEpochs(store, tenantId, experimentId, { listeners: [writeDown] }), { timeout: 5_000 })
      .toMatchObject({ kind: 'published', epoch: 1 });
    thaw.resolve();
    await expect(frozen).rejects.toThrow(/cannot be reached/);
    expect(await notificationGaps(experimentId)).toEqual([]);
  });

  it('skips a deleted experiment', async () => {
    const { experimentId, runIds } = await makeExperiment();
    const world = new World(experimentId, runIds);
    await world.acknowledge({ kind: 'acknowledge', run: 0, segments: 1, dies: false, turns: 0 }, store);
    await world.settle();
    await store.withTenant(tenantId, (scope) => deleteExperiment(scope, experimentId));
    await publishEpochs(store, tenantId, experimentId, { listeners: [() => Promise.reject(new Error('notified'))] });
    expect((await admin.query('select from progress_batch where experiment_id = $1', [experimentId])).rowCount).toBe(0);
    expect(await publishEpochs(store, tenantId, experimentIdOf('x'.repeat(22)), { listeners: [] })).toEqual({ kind: 'busy' });
  });
});
