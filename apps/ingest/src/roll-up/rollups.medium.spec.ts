import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { MemoryBlobStore } from '#blobs/testing';
import { concatPoints, decodeBody } from '#chunks';
import { requestDeletion } from '#experiments';
import type { IngestRun } from '#jobs';
import { emptyPoints, type ExperimentId, type FileId, type PointColumns, type SeriesId } from '#model';
import { noTail, readScalars, type ScalarRequest, tailsBySeries } from '#series';
import { checkMinmax } from '#series/testing';
import { readRunsToRollUp, readRunTails, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { workOnDeletion } from '../deletion/work-on-deletion.ts';
import { IngestRunHandler, type IngestRunner } from '../handlers/ingest-run.handler.ts';
import { ingestRun } from '../ingest-run/ingest-run.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../testing/deletion-world.ts';
import { checkRollups } from '../testing/check-rollups.ts';
import { rollUpRun } from './roll-up-run.ts';

const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
const runs = Number(process.env['ROLLUP_RUNS'] ?? 12);

/**
 * Points that a training run logs between two STARTs. Without `start`, the run continues. Chunks
 * never span a START, so this creates many small chunks.
 */
interface Session {
  readonly start: boolean;
  readonly points: number;
  readonly stride: number;
  /** How many steps the session goes back before its first point. Negative for a gap. */
  readonly back: number;
}

type Change =
  /**
   * Sessions at the end of a file. They start at this fraction of the steps so far; 1 means after
   * all of them.
   */
  | { readonly kind: 'log'; readonly file: number; readonly at: number; readonly sessions: readonly Session[] }
  /** A few points at the end, which go to the tail if possible. */
  | { readonly kind: 'tail'; readonly points: number }
  | { readonly kind: 'deleteSteps'; readonly from: number; readonly to: number }
  | { readonly kind: 'deleteTag' };

/** How much of the existing chunks to roll up at a given moment. */
interface RollUp {
  readonly transactions: number;
  readonly series: number;
  readonly rows: number;
}

describeWith(['postgres'], 'rollups', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const job = async (): Promise<IngestRun> => {
    const { run_id: runId } = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('run').select('run_id').where('tenant_id', '=', tenant.tenantId).executeTakeFirstOrThrow(),
    );
    return { tenantId: tenant.tenantId, experimentId, runId };
  };

  /** Rolls up until nothing is left. */
  async function rollUpAll(run: IngestRun): Promise<void> {
    while ((await rollUpRun(store, run)) === 'more');
  }

  const seriesIds = (): Promise<{ series_id: SeriesId; tag: string; writer: number }[]> =>
    store.withTenant(tenant.tenantId, ({ trx }) =>
      trx
        .selectFrom('series')
        .select(['series_id', 'tag', 'writer'])
        .where('tenant_id', '=', tenant.tenantId)
        .orderBy('tag')
        .orderBy('writer')
        .execute(),
    );

  /** All effective points of a series, from its chunks and its tail. */
  async function effectivePoints(run: IngestRun, seriesId: SeriesId): Promise<PointColumns> {
    return store.withSnapshot(tenant.tenantId, async (snapshot) => {
      const chunks = await snapshot.trx
        .selectFrom('scalar_chunk')
        .select('body')
        .where('series_id', '=', seriesId)
        .where('superseded', '=', false)
        .orderBy('first_step')
        .execute();
      const tail = tailsBySeries(await readRunTails(snapshot, [run.runId])).get(seriesId) ?? noTail;
      return concatPoints([emptyPoints(), ...chunks.map(({ body }) => decodeBody(body).points), tail.effective]);
    });
  }

  const read = (given: Partial<ScalarRequest>) =>
    readScalars(
      store,
      tenant.tenantId,
      {
        experimentId,
        runs: null,
        tags: null,
        plugin: null,
        unlisted: false,
        view: null,
        from: null,
        to: null,
        sampling: 'minmax',
        points: 1000,
        align: 'tag',
        seed: '0',
        superseded: false,
        pageSize: 10_000,
        pageToken: null,
        ...given,
      },
      async () => undefined,
    );

  /** A training run that appends to the files of one run. The files can arrive in any order. */
  class Training {
    /** One more than the largest step so far. */
    next = 0;
    readonly #ends = new Map<number, { fileId: FileId; offset: number }>();
    #values = 0;

    async log({ file, at, sessions }: { file: number; at: number; sessions: readonly Session[] }): Promise<void> {
      let step = Math.round(at * this.next);
      const events = sessions.flatMap(({ start, points, stride, back }): TestEvent[] => {
        step = Math.max(0, step - back);
        return [
          ...(start ? [{ step: BigInt(step), start: true, values: [] }] : []),
          ...Array.from({ length: points }, (): TestEvent => {
            const event = { step: BigInt(step), values: this.#value() };
            step += stride;
            this.next = Math.max(this.next, step);
            return event;
          }),
        ];
      });
      const end = this.#ends.get(file) ?? { fileId: await world.open(tenant, experimentId, 'r', `tfevents.${file}`), offset: 0 };
      const bytes = recordsOf(events, end.offset === 0, 1_700_000_000 + file * 10_000_000);
      expect(await world.append(tenant, experimentId, end.fileId, end.offset, bytes)).toMatchObject({ kind: 'acknowledged' });
      this.#ends.set(file, { ...end, offset: end.offset + bytes.length });
      await world.ingest(tenant);
    }

    #value(): TestEvent['values'] {
      const n = this.#values++;
      const value = n % 7 === 3 ? Number.NaN : n % 11 === 5 ? -Infinity : ((n * 7919) % 101) - 50;
      return n % 3 === 0
        ? [
            { tag: 'a', scalar: value },
            { tag: 'b', scalar: -value },
          ]
        : [{ tag: 'a', scalar: value }];
    }

    async tail(points: number): Promise<void> {
      await this.log({ file: Math.max(...this.#ends.keys()), at: 1, sessions: [{ start: false, points, stride: 1, back: 0 }] });
    }
  }

  /**
   * Compares every bucket with a scan of all points, over the whole series and over parts of it.
   */
  async function checkCharts(
    run: IngestRun,
    { seriesId, tag, writer }: { seriesId: SeriesId; tag: string; writer: number },
    zooms: readonly { points: number; from: number; to: number }[],
  ) {
    const all = await effectivePoints(run, seriesId);
    const { length } = all.steps;
    if (length === 0) return;
    const at = (part: number): bigint => all.steps[Math.min(length - 1, Math.floor(part * length))]!;
    for (const { points, from, to } of zooms) {
      const whole = { from: all.steps[0]!, to: all.steps[length - 1]! };
      // Ranges that end between points, and ranges that end at points.
      const part = { from: at(Math.min(from, to)) + (points % 2 === 0 ? 1n : 0n), to: at(Math.max(from, to)) + 1n };
      for (const range of [null, part]) {
        const { series } = await read({ tags: [tag], points, from: range?.from ?? null, to: range?.to ?? null });
        checkMinmax(
          series.find((response) => response.writer === writer)!,
          all,
          points,
          range ?? whole,
        );
      }
    }
  }

  async function remove(request: Parameters<typeof requestDeletion>[3]): Promise<void> {
    const caller = ownerOf(tenant);
    const { deletionId } = await store.withTenant(tenant.tenantId, (scope) => requestDeletion(scope, caller, experimentId, request));
    expect(await workOnDeletion(store, world.blobs, { tenantId: tenant.tenantId, deletionId }, bounds)).toBe('done');
  }

  const sessions = (max: number): fc.Arbitrary<Session[]> =>
    fc.array(
      fc.record({
        start: fc.constantFrom(true, true, true, false),
        points: fc.integer({ min: 1, max: 5 }),
        stride: fc.constantFrom(1, 1, 2, 3, 50),
        back: fc.oneof({ weight: 100, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -20, max: 60 }) }),
      }),
      { minLength: 1, maxLength: max, size: 'max' },
    );
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const log = (files: readonly number[], at: fc.Arbitrary<number>, max: number): fc.Arbitrary<Change> =>
    fc.record({ kind: fc.constant('log' as const), file: fc.constantFrom(...files), at, sessions: sessions(max) });
  const change: fc.Arbitrary<Change> = fc.oneof(
    { weight: 3, arbitrary: log([1, 2, 3], fc.constant(1), 150) },
    { weight: 2, arbitrary: log([2, 3], share, 20) }, // a restart
    { weight: 2, arbitrary: log([0, 1], share, 20) }, // late
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('tail' as const), points: fc.integer({ min: 1, max: 30 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteSteps' as const), from: fc.nat(900), to: fc.nat(900) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteTag' as const) }) },
  );
  const rollUp: fc.Arbitrary<RollUp> = fc.record({
    transactions: fc.constantFrom(0, 1, 3, 100, 100),
    series: fc.integer({ min: 1, max: 3 }),
    rows: fc.constantFrom(1, 5, 64),
  });
  const zoom = fc.record({ points: fc.constantFrom(1, 2, 3, 5, 8, 13, 40, 200), from: share, to: share });

  it(
    'cover exactly the chunks of their prefix, and charts are exact at every zoom after any sequence of logging, rolling up and deleting',
    { timeout: 600_000 },
    async () => {
      const reached = new Set<number>();
      await fc.assert(
        fc.asyncProperty(
          sessions(400),
          rollUp,
          fc.array(fc.tuple(change, rollUp), { minLength: 1, maxLength: 5 }),
          fc.array(zoom, { minLength: 2, maxLength: 5 }),
          async (first, firstRollUp, changes, zooms) => {
            tenant = await world.tenant();
            experimentId = await world.experiment(tenant);
            const training = new Training();
            await training.log({ file: 1, at: 1, sessions: first });
            const run = await job();
            const check = async (): Promise<void> => {
              for (const { series_id: seriesId, tag, writer } of await seriesIds()) {
                const levels = await checkRollups(store, tenant.tenantId, seriesId);
                for (let level = 1; level <= levels; level++) reached.add(level);
                await checkCharts(run, { seriesId, tag, writer }, zooms);
              }
            };
            const rollUpSome = async ({ transactions, series, rows }: RollUp): Promise<void> => {
              for (let n = 0; n < transactions; n++)
                if ((await rollUpRun(store, run, { seriesAtOnce: series, rowsAtOnce: rows })) !== 'more') break;
              await check();
            };
            await rollUpSome(firstRollUp);
            for (const [one, behind] of changes) {
              if (one.kind === 'log') await training.log(one);
              else if (one.kind === 'tail') await training.tail(one.points);
              else if (one.kind === 'deleteTag') await remove({ tags: ['b'] });
              else await remove({ steps: { from: BigInt(Math.min(one.from, one.to)), to: BigInt(Math.max(one.from, one.to)) } });
              await check();
              await rollUpSome(behind);
            }
          },
        ),
        { numRuns: runs, endOnFailure: true },
      );
      // The cases prove nothing if they are too short for several levels.
      expect(reached).toContain(2);
    },
  );

  it('are created once, by any worker and after any retries, and are offered to a worker', async () => {
    const training = new Training();
    const session = { start: true, points: 2, stride: 1, back: 0 };
    await training.log({ file: 1, at: 1, sessions: Array.from({ length: 100 }, () => session) });
    const run = await job();
    const offered = async (): Promise<boolean> =>
      (await readRunsToRollUp(store.sweeper, 1_000)).some((one) => one.tenantId === tenant.tenantId && one.runId === run.runId);
    expect(await offered()).toBe(true);
    const [series] = await seriesIds();
    for (let left = true; left;) {
      const outcomes = await Promise.all([1, 2].map(() => rollUpRun(store, run, { seriesAtOnce: 1, rowsAtOnce: 3 })));
      left = outcomes.includes('more');
      await checkRollups(store, tenant.tenantId, series!.series_id);
    }
    expect(await checkRollups(store, tenant.tenantId, series!.series_id)).toBe(2);
    expect(await offered()).toBe(false);
    const rows = () =>
      store.withTenant(tenant.tenantId, ({ trx }) =>
        trx.selectFrom('scalar_rollup').selectAll().orderBy('series_id').orderBy('level').orderBy('last_step').execute(),
      );
    const before = await rows();
    expect(before.filter((row) => row.series_id === series!.series_id && row.level === 1)).toHaveLength(12);
    await rollUpAll(run);
    expect(await rows()).toEqual(before);
    // Existing rows stay unchanged, and rows are added only when there are enough chunks.
    await training.log({ file: 1, at: 1, sessions: [session] });
    expect(await rows()).toEqual(before);
    expect(await offered()).toBe(false);
    // A restart in the middle removes only the affected rows.
    await training.log({ file: 1, at: 0.5, sessions: [session] });
    const kept = await rows();
    expect(kept).toEqual(before.filter((row) => Number(row.last_step) < 101));
    expect(kept.length).toBeGreaterThan(5);
  });

  it('are created by the worker when nothing of the run is pending, and their failure does not fail the run', async () => {
    const events = Array.from({ length: 200 }, (_, step): TestEvent[] => [
      { step: BigInt(step), start: true, values: [] },
      { step: BigInt(step), values: [{ tag: 'a', scalar: step }] },
    ]).flat();
    const bytes = recordsOf(events, true);
    const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
    await world.append(tenant, experimentId, fileId, 0, bytes);
    const run = await job();
    let broken = true;
    const pool: IngestRunner = {
      run: () => ingestRun(store, world.blobs, run, { maxBatchBytes: 2_000, tail: { maxPoints: 65_536, maxAgeMs: 3_600_000 } }),
      rollUp: () => (broken ? Promise.reject(new Error('broken')) : rollUpRun(store, run, { seriesAtOnce: 1, rowsAtOnce: 5 })),
    };
    const failures: unknown[] = [];
    const handler = new IngestRunHandler(store, pool, { maxBatchBytes: 2_000, believeLostAfterMs: 60_000 }, (error) =>
      failures.push(error),
    );
    while ((await handler.handle(run)) === 'more') continue;
    const [series] = await seriesIds();
    expect(failures).toHaveLength(1);
    expect(await checkRollups(store, tenant.tenantId, series!.series_id)).toBe(0);
    broken = false;
    let turns = 0;
    while ((await handler.handle(run)) === 'more') turns++;
    expect(turns).toBeGreaterThan(3);
    expect(await checkRollups(store, tenant.tenantId, series!.series_id)).toBe(2);
    expect(failures).toHaveLength(1);
    const work = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('run_work').select('failures').where('run_id', '=', run.runId).executeTakeFirstOrThrow(),
    );
    expect(work.failures).toBe(0);
  });

  it('wait while a deletion holds the run', async () => {
    const training = new Training();
    await training.log({ file: 1, at: 1, sessions: Array.from({ length: 30 }, () => ({ start: true, points: 1, stride: 1, back: 0 })) });
    const run = await job();
    await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.updateTable('run_work').set({ held_by: crypto.randomUUID() }).where('run_id', '=', run.runId).execute(),
    );
    expect(await rollUpRun(store, run)).toBe('busy');
    const [series] = await seriesIds();
    expect(await checkRollups(store, tenant.tenantId, series!.series_id)).toBe(0);
  });
});
