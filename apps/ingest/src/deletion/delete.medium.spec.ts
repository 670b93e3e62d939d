import { randomBytes, randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ownerOf } from '#auth/testing';
import { MemoryBlobStore } from '#blobs/testing';
import { type DeletionRequest, findDeletion, removeExperiment, removeWorkspace, requestDeletion, selectDoomed } from '#experiments';
import type { ExperimentId, FileId } from '#model';
import { dropOriginal, joinOriginal, keptCrc32c, readFileRange } from '#originals';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import { insertMember, listFiles, readUnfinishedDeletions, Store, updateWorkspace } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { previewPoints } from '../../../read/src/deletions/preview-deletion.ts';
import { checkUsage } from '../testing/check-usage.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant, type TestValue } from '../testing/deletion-world.ts';
import { collectOrphans, type OrphanCount } from './collect-orphans.ts';
import { MaintenanceJanitor } from './maintenance-janitor.ts';
import { type DeletionOutcome, workOnDeletion } from './work-on-deletion.ts';

/** Objects written in the current millisecond count as old too. */
const noGrace = -1;
const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
const large = Array.from({ length: 6_000 }, (_, i) => i); // larger than a tensor that a row stores

describeWith(['postgres'], 'deletion', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;
  let tenant: TestTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const caller = (who: TestTenant) => ownerOf(who);
  const ask = (experimentId: ExperimentId, request: DeletionRequest) =>
    store.withTenant(tenant.tenantId, (scope) => requestDeletion(scope, caller(tenant), experimentId, request));
  const work = async (deletionId: string): Promise<DeletionOutcome> => {
    await checkUsage(store, tenant.tenantId);
    const outcome = await workOnDeletion(store, world.blobs, { tenantId: tenant.tenantId, deletionId }, bounds);
    await checkUsage(store, tenant.tenantId);
    return outcome;
  };
  const look = (deletionId: string) => store.withTenant(tenant.tenantId, (scope) => findDeletion(scope, deletionId));

  /**
   * Uploads and ingests runs, as files with events, in parts of `perPart` events. `begins`: the
   * wall times at which the files start.
   */
  async function upload(
    experimentId: ExperimentId,
    runs: Readonly<Record<string, Readonly<Record<string, readonly TestEvent[]>>>>,
    perPart = 7,
    begins: Readonly<Record<string, number>> = {},
  ) {
    for (const [run, files] of Object.entries(runs)) {
      for (const [name, events] of Object.entries(files)) {
        const fileId = await world.open(tenant, experimentId, run, name);
        let offset = Number(
          (
            await store.withTenant(tenant.tenantId, ({ trx }) =>
              trx.selectFrom('event_file').select('durable_offset').where('file_id', '=', fileId).executeTakeFirstOrThrow(),
            )
          ).durable_offset,
        );
        for (let at = 0; at < Math.max(events.length, offset === 0 ? 1 : 0); at += perPart) {
          const bytes = recordsOf(events.slice(at, at + perPart), offset === 0, begins[name]);
          expect(await world.append(tenant, experimentId, fileId, offset, bytes)).toMatchObject({ kind: 'acknowledged' });
          offset += bytes.length;
          await world.ingest(tenant);
        }
      }
    }
  }

  /** The number of this tenant's rows in each table that has any. */
  async function leftOver(of: TestTenant): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const tables = [
      'experiment',
      'experiment_epoch',
      'progress_batch',
      'progress_heard',
      'progress_view',
      'run',
      'run_state',
      'run_work',
      'event_file',
      'segment',
      'pending_segment',
      'file_progress',
      'file_problem',
      'session_start',
      'series',
      'series_stats',
      'scalar_chunk',
      'scalar_rollup',
      'series_to_roll_up',
      'run_tail',
      'tensor_value',
      'blob_sequence_value',
      'idempotency_key',
      'object_to_delete',
      'deleted_run',
    ] as const;
    for (const table of tables) {
      const rows = await store.withTenant(of.tenantId, ({ trx }) => trx.selectFrom(table).select('tenant_id').execute());
      if (rows.length > 0) counts[table] = rows.length;
    }
    return counts;
  }

  const value = fc.oneof(
    fc.record({ tag: fc.constantFrom('a', 'b'), scalar: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ tag: fc.constant('t'), tensor: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 2 }) }),
    // The value does not fit the tag's class, so it goes to a twin.
    fc.record({ tag: fc.constantFrom('a'), text: fc.constantFrom('x', 'y') }),
    fc.record({ tag: fc.constant('i'), images: fc.array(fc.constantFrom(Buffer.from('png1'), Buffer.from('png2')), { maxLength: 2 }) }),
  );
  const anyStep = fc.bigInt({ min: 0n, max: 25n });
  // An event either is a restart or contains values.
  const event: fc.Arbitrary<TestEvent> = fc.oneof(
    { weight: 1, arbitrary: fc.record({ step: anyStep, start: fc.constant(true), values: fc.constant([]) }) },
    { weight: 12, arbitrary: fc.record({ step: anyStep, values: fc.uniqueArray(value, { maxLength: 3, selector: ({ tag }) => tag }) }) },
  );
  const files = fc.record({ 'tfevents.1': fc.array(event, { maxLength: 30 }), 'tfevents.2': fc.array(event, { maxLength: 20 }) });
  /**
   * A point after all deleted steps, because a series keeps its metadata only as long as it has a
   * point.
   */
  const opening: TestEvent[] = [
    {
      step: 100n,
      values: [
        { tag: 'a', scalar: 1 },
        { tag: 'b', scalar: 1 },
      ],
    },
  ];
  /**
   * The second file starts either while the first one is being written, or after it. Its bytes
   * always differ: otherwise it would be a copy, and deleted data could not be compared.
   */
  const begins = fc.constantFrom(1_700_000_000.5, 1_700_001_000).map((second) => ({ 'tfevents.2': second }));
  const steps = fc
    .tuple(fc.option(fc.bigInt({ min: 0n, max: 26n })), fc.bigInt({ min: 0n, max: 26n }))
    .map(([from, to]) => (from !== null && from > to ? { from: to, to: from } : { from, to }));
  const deletionRequest = fc.oneof(
    fc.record({ tags: fc.subarray(['a', 'b', 't', 'i'], { minLength: 1 }) }),
    fc.record({ steps }),
    fc.record({ tags: fc.subarray(['a', 'b', 't', 'i'], { minLength: 1 }), steps }),
  );

  it('of tags and steps leaves what there would be if they had never been logged, also for later uploads', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, deletionRequest, begins, async (before, after, w, at) => {
        tenant = await world.tenant();
        const isDeleted = (step: bigint, { tag }: TestValue): boolean =>
          (!('tags' in w) || w.tags.some((doomed) => doomed === tag)) &&
          (!('steps' in w) || ((w.steps.from === null || step >= w.steps.from) && step <= w.steps.to));
        const without = (events: readonly TestEvent[]) =>
          events.map((e) => ({ ...e, values: e.values.filter((v) => !isDeleted(e.step, v)) }));
        const [full, clean] = [await world.experiment(tenant), await world.experiment(tenant)];
        const opened = { ...before, 'tfevents.1': [...opening, ...before['tfevents.1']] };
        await upload(full, { r: opened }, 7, at);
        const preview = await previewOf(full, w);
        const { deletionId } = await ask(full, w);
        expect(await work(deletionId)).toBe('done');
        // The preview matches the result.
        const { removed, rewritten } = await look(deletionId);
        expect({ removed: { ...preview.removed, bytes: 0 }, rewritten: preview.rewritten }).toEqual({
          removed: { runs: 0, files: 0, series: removed.series, points: removed.points, bytes: 0 },
          rewritten,
        });
        for (const name of ['tfevents.1', 'tfevents.2'] as const)
          await checkOriginal(
            full,
            name,
            recordsOf(opened[name], true, begin(name, at)),
            recordsOf(without(opened[name]), true, begin(name, at)),
          );
        await upload(clean, { r: { 'tfevents.1': without(opened['tfevents.1']), 'tfevents.2': without(opened['tfevents.2']) } }, 7, at);
        await settle(full, clean);
        await upload(full, { r: after }, 7, at);
        await upload(clean, { r: after }, 7, at);
        await settle(full, clean);
      }),
      { numRuns: 40, interruptAfterTimeLimit: 40_000 },
    );

    async function settle(full: ExperimentId, clean: ExperimentId): Promise<void> {
      for (const experimentId of [full, clean]) await cutTails(experimentId);
      const withPoints = async (id: ExperimentId) => {
        const { series, runs } = await world.logical(tenant, id);
        return { runs, series: series.filter(({ all }) => all.length > 0) };
      };
      expect(await withPoints(full)).toEqual(await withPoints(clean));
    }
  }, 120_000);

  const sourceOf = (fileId: FileId) => ({
    inTenant: <T>(read: Parameters<typeof store.withTenant<T>>[1]) => store.withTenant(tenant.tenantId, read),
    blobs: world.blobs,
    tenantId: tenant.tenantId,
    fileId,
  });

  async function contentOf(fileId: FileId, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of readFileRange(sourceOf(fileId), { start: 0, end })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  const begin = (name: string, of: Readonly<Record<string, number>>): number | undefined => of[name];

  /** The readable content of a file: its events, and its points without their offsets. */
  function pointsIn(bytes: Uint8Array) {
    const reader = new RecordReader();
    const collector = new PointCollector();
    reader.push(bytes, (buf, start, end, offset) => collector.event(buf, start, end, offset));
    const { series, ...rest } = collector.take({ records: reader.records, problems: reader.takeProblems() });
    const placeless = series.map((one) => ({
      ...one,
      scalars: one.scalars && { ...one.scalars, offsets: null },
      tensors: one.tensors.map((point) => ({ ...point, offset: 0, data: Buffer.from(point.data) })),
      blobSequences: one.blobSequences.map((point) => ({ ...point, offset: 0, blobs: point.blobs.map((blob) => Buffer.from(blob)) })),
    }));
    return { ...rest, starts: rest.starts.map((start) => ({ ...start, offset: 0 })), series: placeless };
  }

  /**
   * Expects that the file can be downloaded, has as many bytes as were received, and has the
   * content that it would have had without the deleted points.
   */
  async function checkOriginal(experimentId: ExperimentId, name: string, received: Uint8Array, clean: Uint8Array): Promise<void> {
    const all = await store.withTenant(tenant.tenantId, (scope) => listFiles(scope, experimentId, 10, null, null));
    const file = all!.find((one) => one.name === name)!;
    expect([file.originalKept, file.bytes, file.crc32c]).toEqual([true, received.length, crc32c(received)]);
    const content = await contentOf(file.fileId, file.bytes);
    expect(crc32c(content)).toBe(keptCrc32c({ ...file, durableOffset: file.bytes }));
    expect(pointsIn(content)).toEqual(pointsIn(clean));
    const isTouched = received.length !== clean.length || !Buffer.from(received).equals(Buffer.from(clean));
    expect(file.rewrittenBytes).toBe(isTouched ? received.length : 0);
    if (!isTouched) expect(content.equals(Buffer.from(received))).toBe(true);
  }

  const previewOf = (experimentId: ExperimentId, w: DeletionRequest) =>
    store.withSnapshot(tenant.tenantId, async (snapshot) =>
      previewPoints(snapshot, await selectDoomed(snapshot, caller(tenant), experimentId, w)),
    );

  /** Tails are cut when no more data is expected. */
  async function cutTails(experimentId: ExperimentId): Promise<void> {
    const rows = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('event_file').select(['file_id', 'run_id', 'durable_offset']).where('experiment_id', '=', experimentId).execute(),
    );
    for (const row of rows) await world.complete(tenant, row.file_id, Number(row.durable_offset));
    for (const runId of new Set(rows.map((row) => row.run_id))) await world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId });
  }

  it('of steps processes long series in pieces', async () => {
    tenant = await world.tenant();
    const count = 300_000;
    const events = Array.from({ length: count }, (_, i): TestEvent => ({ step: BigInt(i), values: [{ tag: 'a', scalar: i % 1_000 }] }));
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': events } }, 100_000);
    const { deletionId } = await ask(experimentId, { steps: { from: 1_000n, to: 250_000n } });
    expect(await work(deletionId)).toBe('done');
    expect((await look(deletionId)).removed).toMatchObject({ points: 249_001, files: 0 });
    await upload(experimentId, { r: { 'tfevents.1': [{ step: 300_000n, values: [{ tag: 'a', scalar: 1 }] }] } });
    await cutTails(experimentId);
    const { series } = await world.logical(tenant, experimentId);
    expect(series[0]).toMatchObject({ points: String(count - 249_001 + 1), superseded_points: '0', first_step: '0', last_step: '300000' });
    expect(series[0]!.all.map(({ step }) => Number(step))).toEqual([
      ...Array.from({ length: 1_000 }, (_, i) => i),
      ...Array.from({ length: count - 250_001 + 1 }, (_, i) => 250_001 + i),
    ]);
  }, 120_000);

  const small = (tag: string, count = 3): TestEvent[] =>
    Array.from({ length: count }, (_, i) => ({
      step: BigInt(i),
      values: [
        { tag, scalar: i },
        { tag: `${tag}/big`, tensor: [...large, i] },
        { tag: `${tag}/images`, images: [Buffer.from(`shared ${i}`), Buffer.from(`${tag} ${i}`)] },
      ],
    }));

  it('lets a copy grow beyond its original after the original bytes were dropped, and counts the rest once', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const [original, copy] = [
      await world.open(tenant, experimentId, 'r', 'tfevents.1'),
      await world.open(tenant, experimentId, 'r', 'tfevents.1 copy'),
    ];
    const point = (step: bigint, tag: string): TestEvent => ({ step, values: [{ tag, scalar: Number(step) }] });
    const same = recordsOf([point(1n, 'kept'), point(2n, 'gone'), point(3n, 'kept')], true);
    for (const fileId of [original, copy]) await world.append(tenant, experimentId, fileId, 0, same);
    await world.ingest(tenant);
    const { deletionId } = await ask(experimentId, { tags: ['gone'] });
    expect(await work(deletionId)).toBe('done');
    const pointsOf = async () => {
      const { series } = await world.logical(tenant, experimentId);
      return series.flatMap(({ tag, all }) => all.filter(({ superseded }) => !superseded).map(({ step }) => `${tag} ${step}`)).sort();
    };
    const next = recordsOf([point(4n, 'kept'), point(5n, 'gone')], false);
    await world.append(tenant, experimentId, copy, same.length, next);
    await world.ingest(tenant);
    await cutTails(experimentId);
    expect(await pointsOf()).toEqual(['gone 5', 'kept 1', 'kept 3', 'kept 4']);
    await checkUsage(store, tenant.tenantId);
  });

  it('counts the common end of two equal files once, although both lost their first bytes and the copy grew first', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const names = ['tfevents.1', 'tfevents.1 copy'];
    const [original, copy] = await Promise.all(names.map((name) => world.open(tenant, experimentId, 'r', name)));
    const point = (step: bigint): TestEvent => ({ step, values: [{ tag: 'loss', scalar: Number(step) }] });
    const same = recordsOf([point(1n), point(2n)], true);
    const end = recordsOf([point(3n), point(4n)], false);
    for (const fileId of [original!, copy!]) await world.append(tenant, experimentId, fileId, 0, same);
    await world.ingest(tenant);
    const deletionId = randomUUID();
    for (const fileId of [original!, copy!])
      expect(await dropOriginal(store, world.blobs, tenant.tenantId, fileId, deletionId)).toBe('dropped');
    const points = async () => {
      const { series } = await world.logical(tenant, experimentId);
      return series.flatMap(({ all }) => all.map(({ step }) => Number(step))).sort((a, b) => a - b);
    };
    for (const fileId of [copy!, original!]) {
      await world.append(tenant, experimentId, fileId, same.length, end);
      await world.ingest(tenant);
    }
    await cutTails(experimentId);
    expect(await points()).toEqual([1, 2, 3, 4]);
    await checkUsage(store, tenant.tenantId);
  });

  it('rewrites the original bytes without the points, except those that the reader resumes from', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
    const canary = randomBytes(16).toString('hex');
    const bytes = Buffer.from(recordsOf([...small(`tag ${canary}`), { step: 9n, values: [{ tag: 'kept', scalar: 1 }] }], true));
    const next = Buffer.from(recordsOf([{ step: 10n, values: [{ tag: 'kept', scalar: 2 }] }], false));
    await world.append(tenant, experimentId, fileId, 0, Buffer.concat([bytes, next.subarray(0, 20)]));
    const other = await world.open(tenant, experimentId, 'r', 'tfevents.2');
    const untouched = recordsOf([{ step: 1n, values: [{ tag: 'other', scalar: 1 }] }], true, 1_700_100_000);
    await world.append(tenant, experimentId, other, 0, untouched);
    await world.ingest(tenant);
    const { deletionId } = await ask(experimentId, { tags: [`tag ${canary}`, `tag ${canary}/big`, `tag ${canary}/images`] });
    expect(await work(deletionId)).toBe('done');
    expect(await look(deletionId)).toMatchObject({
      finishedAt: expect.any(Date),
      objectsLeft: 0,
      removed: { series: 3, points: 9, files: 0, objects: 3 + 7 + 1 },
      rewritten: { files: 1, bytes: bytes.length },
    });
    const content = await contentOf(fileId, bytes.length + 20);
    expect(content.includes(canary)).toBe(false);
    expect(content.subarray(bytes.length)).toEqual(next.subarray(0, 20));
    expect(await contentOf(other, untouched.length)).toEqual(Buffer.from(untouched));
    // If the same range is sent again, it is recognized and restores nothing.
    expect(await world.append(tenant, experimentId, fileId, 0, bytes)).toMatchObject({ kind: 'in-original' });
    await world.append(tenant, experimentId, fileId, bytes.length + 20, next.subarray(20));
    await cutTails(experimentId);
    const { series } = await world.logical(tenant, experimentId);
    expect(series.map(({ tag, points }) => [tag, points])).toEqual([
      ['kept', '2'],
      ['other', '1'],
    ]);
    // After it is joined with later bytes, the content is still the same, and nothing else is left
    // in the store.
    expect(await joinOriginal(store, world.blobs, tenant.tenantId, fileId)).toBe('joined');
    const joined = await contentOf(fileId, bytes.length + next.length);
    expect(pointsIn(joined).series.map(({ meta }) => meta.tag)).toEqual(['kept']);
    expect(joined.subarray(bytes.length)).toEqual(next);
    await collectOrphans(store, world.blobs, noGrace);
    expect(await world.objects(tenant)).toEqual([expect.stringMatching(`^original/${fileId}-`)]);
  });

  it('blanks unreadable records in a file with deleted points, and keeps the damage in place', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const canary = randomBytes(16).toString('hex');
    const note = (tag: string): TestEvent[] => [{ step: 1n, values: [{ tag, text: canary }] }];
    const damaged = Buffer.from(recordsOf(note('gone'), false));
    damaged[damaged.length - 6]! ^= 1;
    const ending = Buffer.from(recordsOf(note('gone'), false));
    ending[9]! ^= 1;
    const kept = Buffer.from(recordsOf([{ step: 2n, values: [{ tag: 'kept', scalar: 1 }] }], false));
    const bytes = Buffer.concat([recordsOf(note('gone'), true), damaged, kept, ending, Buffer.from(canary)]);
    const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
    await world.append(tenant, experimentId, fileId, 0, bytes);
    await world.ingest(tenant);
    const { deletionId } = await ask(experimentId, { tags: ['gone'] });
    expect(await work(deletionId)).toBe('done');
    const content = await contentOf(fileId, bytes.length);
    expect(content.includes(canary)).toBe(false);
    const problems = ({ problems: all }: ReturnType<typeof pointsIn>) => all.map(({ offset, reason }) => [offset, reason]);
    expect(problems(pointsIn(content))).toEqual(problems(pointsIn(bytes)));
    expect(pointsIn(content).series.map(({ meta }) => meta.tag)).toEqual(['kept']);
  });

  it('drops the original of a file whose stored bytes are unreadable, and no other', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': small('gone', 700), 'tfevents.2': small('gone') } }, 700);
    const listed = () => store.withTenant(tenant.tenantId, (scope) => listFiles(scope, experimentId, 10, null, null));
    const [first] = (await listed())!;
    const keys = (await world.objects(tenant)).filter((key) => key.startsWith(`segment/${first!.fileId}/`));
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) await world.blobs.delete(tenant.tenantId, key);
    const { deletionId } = await ask(experimentId, { tags: ['gone'] });
    expect(await work(deletionId)).toBe('done');
    expect(await look(deletionId)).toMatchObject({ removed: { files: 1 }, rewritten: { files: 1 } });
    expect((await listed())!.map(({ originalKept, rewrittenBytes }) => [originalKept, rewrittenBytes > 0])).toEqual([
      [false, false],
      [true, true],
    ]);
    await expect(readFileRange(sourceOf(first!.fileId), { start: 0, end: 10 }).next()).rejects.toMatchObject({ code: 'original-gone' });
  });

  it('waits until everything acknowledged before is ingested, and holds back later data', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
    const bytes = recordsOf(small('a'), true);
    await world.append(tenant, experimentId, fileId, 0, bytes);
    const { deletionId } = await ask(experimentId, { tags: ['a'] });
    expect(await work(deletionId)).toBe('waiting');
    await world.ingest(tenant);
    expect(await work(deletionId)).toBe('done');
    expect(await work(deletionId)).toBe('taken');
    expect((await world.logical(tenant, experimentId)).series.map(({ tag }) => tag)).toEqual(['a/big', 'a/images']);
  });

  it('of a run hides it at once, rejects its files, and does not change other runs', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { doomed: { 'tfevents.1': small('a') }, kept: { 'tfevents.1': small('a') } });
    const doomed = await world.open(tenant, experimentId, 'doomed', 'tfevents.1');
    const { deletionId } = await ask(experimentId, { runs: ['doomed'] });
    await expect(world.open(tenant, experimentId, 'doomed', 'tfevents.1')).rejects.toMatchObject({ code: 'run-deleted' });
    expect(await world.append(tenant, experimentId, doomed, 0, Buffer.from('x'))).toEqual({ kind: 'run-deleted' });
    expect(await work(deletionId)).toBe('done');
    expect(await world.append(tenant, experimentId, doomed, 0, Buffer.from('x'))).toEqual({ kind: 'file-not-found' });
    await expect(world.open(tenant, experimentId, 'doomed', 'tfevents.1')).rejects.toMatchObject({ code: 'run-deleted' });
    expect((await look(deletionId)).removed).toMatchObject({ runs: 1, files: 1, series: 3, points: 9 });
    const clean = await world.experiment(tenant);
    await upload(clean, { kept: { 'tfevents.1': small('a') } });
    expect(await world.logical(tenant, experimentId)).toEqual(await world.logical(tenant, clean));
    const bytes = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('experiment_epoch').select('acknowledged_bytes').where('experiment_id', 'in', [experimentId, clean]).execute(),
    );
    expect(bytes[0]).toEqual(bytes[1]);
    // Objects that the other run also references still exist.
    const referred = await world.objects(tenant);
    expect(referred.filter((key) => key.startsWith('blob/'))).toHaveLength(7);
    expect(referred.filter((key) => key.startsWith('tensor/'))).toHaveLength(3);
  });

  it('of a run frees its name: for other files at once, and for its own in an upload that started later', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': small('a'), 'tfevents.2': small('b') } });
    const { deletionId } = await ask(experimentId, { runs: ['r'] });
    // A new file with the same run name creates a new run, even while the deletion is running.
    const rejected = expect.objectContaining({ code: 'run-deleted', extra: { deleted_ms_ago: expect.any(Number) } });
    const [one, two] = [recordsOf([{ step: 1n, values: [{ tag: 'c', scalar: 1 }] }], true), recordsOf(small('a'), true)];
    const third = await world.open(tenant, experimentId, 'r', 'tfevents.3');
    await world.append(tenant, experimentId, third, 0, one);
    await expect(world.open(tenant, experimentId, 'r', 'tfevents.1')).rejects.toEqual(rejected);
    expect(await work(deletionId)).toBe('done');
    await world.ingest(tenant);
    expect((await world.logical(tenant, experimentId)).series.map(({ tag }) => tag)).toEqual(['c']);
    await expect(world.open(tenant, experimentId, 'r', 'tfevents.2')).rejects.toEqual(rejected);
    // A new upload reuses the name; from then on, the old files are ordinary files.
    const first = await world.open(tenant, experimentId, 'r', 'tfevents.1', true);
    await world.append(tenant, experimentId, first, 0, two);
    await world.open(tenant, experimentId, 'r', 'tfevents.2');
    await world.ingest(tenant);
    expect((await world.logical(tenant, experimentId)).series.map(({ tag }) => tag)).toEqual(['a', 'a/big', 'a/images', 'c']);
    // After another deletion, the run's files are rejected again.
    await work((await ask(experimentId, { runs: ['r'] })).deletionId);
    for (const name of ['tfevents.1', 'tfevents.2', 'tfevents.3'])
      await expect(world.open(tenant, experimentId, 'r', name)).rejects.toEqual(rejected);
    await checkUsage(store, tenant.tenantId);
  });

  it('of an experiment leaves no row and no object of it, although more data arrives', async () => {
    tenant = await world.tenant();
    const [doomed, kept] = [await world.experiment(tenant, 'secret'), await world.experiment(tenant)];
    await upload(doomed, { r: { 'tfevents.1': small('a') }, s: { 'tfevents.1': small('b') } });
    const fileId = await world.open(tenant, doomed, 'r', 'tfevents.2');
    await world.append(tenant, doomed, fileId, 0, recordsOf(small('late'), true));
    const { deletionId } = await store.withTenant(tenant.tenantId, (scope) => removeExperiment(scope, caller(tenant), doomed));
    expect(await world.append(tenant, doomed, fileId, 0, randomBytes(100_000))).toEqual({ kind: 'experiment-not-found' });
    expect(await work(deletionId)).toBe('done');
    const counts = await leftOver(tenant);
    expect(counts).toEqual({ experiment: 1, experiment_epoch: 1, progress_view: 1 });
    expect(await collectOrphans(store, world.blobs, noGrace)).toMatchObject({ removed: 1 }); // the object that was put for the rejected append
    expect(await world.objects(tenant)).toEqual([]);
    expect(
      await store.global.selectFrom('experiment_route').select('experiment_id').where('tenant_id', '=', tenant.tenantId).execute(),
    ).toEqual([{ experiment_id: kept }]);
    expect((await look(deletionId)).removed).toMatchObject({ runs: 2, points: 18 });
  });

  it('of a workspace keeps only the record of the deletion', async () => {
    tenant = await world.tenant('Lab');
    const other = await world.tenant('Other');
    // A person who is a member of both workspaces remains.
    await store.withTenant(tenant.tenantId, (scope) => insertMember(scope, other.personId, 'member'));
    const experimentId = await world.experiment(tenant, 'one');
    await world.experiment(tenant, 'two');
    await upload(experimentId, { r: { 'tfevents.1': small('a') } });
    await expect(store.withTenant(tenant.tenantId, (scope) => removeWorkspace(scope, caller(tenant), 'lab'))).rejects.toMatchObject({
      code: 'bad-request',
    });
    const { deletionId } = await store.withTenant(tenant.tenantId, (scope) => removeWorkspace(scope, caller(tenant), 'Lab'));
    await expect(world.experiment(tenant)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await work(deletionId)).toBe('done');
    expect(await leftOver(tenant)).toEqual({});
    expect(await world.objects(tenant)).toEqual([]);
    expect(await look(deletionId)).toMatchObject({ kind: 'workspace', requestedBy: null, finishedAt: expect.any(Date) });
    const people = await store.global
      .selectFrom('person')
      .select('person_id')
      .where('person_id', 'in', [tenant.personId, other.personId])
      .execute();
    expect(people).toEqual([{ person_id: other.personId }]);
  });

  it('keeps its lease during a step that takes longer than the lease', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': small('a') } });
    const { deletionId } = await store.withTenant(tenant.tenantId, (scope) => removeExperiment(scope, caller(tenant), experimentId));
    const leasedUntil = async (): Promise<number> => {
      const { worker_until: until } = await store.withTenant(tenant.tenantId, ({ trx }) =>
        trx.selectFrom('deletion').select('worker_until').where('deletion_id', '=', deletionId).executeTakeFirstOrThrow(),
      );
      return until.getTime();
    };
    const stuck = Promise.withResolvers<void>();
    const remove = world.blobs.delete.bind(world.blobs);
    const deleting = vi.spyOn(world.blobs, 'delete').mockImplementationOnce(async (...object) => {
      await stuck.promise;
      await remove(...object);
    });
    const done = workOnDeletion(store, world.blobs, { tenantId: tenant.tenantId, deletionId }, { ...bounds, leaseMs: 600 });
    try {
      await vi.waitFor(() => expect(deleting).toHaveBeenCalled(), { timeout: 20_000 });
      const first = await leasedUntil();
      await vi.waitFor(async () => expect(await leasedUntil()).toBeGreaterThan(first + 600), { timeout: 20_000 });
    } finally {
      stuck.resolve();
      deleting.mockRestore();
    }
    expect(await done).toBe('done');
    expect(await world.objects(tenant)).toEqual([]);
  });

  it('of originals after their retention keeps their points', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': small('a'), 'tfevents.2': small('b') } });
    await cutTails(experimentId);
    const before = await world.logical(tenant, experimentId);
    await store.withTenant(tenant.tenantId, (scope) => updateWorkspace(scope, { originalsDays: 30 }));
    const age = (name: string, days: number) =>
      store.withTenant(tenant.tenantId, ({ trx }) =>
        trx
          .updateTable('event_file')
          .set({ completed_at: new Date(Date.now() - days * 86_400_000) })
          .where('tenant_id', '=', tenant.tenantId)
          .where('name', '=', name)
          .execute(),
      );
    await age('tfevents.1', 31);
    await age('tfevents.2', 29);
    const aged = new Date(Date.now() - 366 * 86_400_000);
    await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx
        .insertInto('audit_entry')
        .values({ tenant_id: tenant.tenantId, via: 'service', action: 'old', result: 'done', at: aged })
        .execute(),
    );
    await store.global.deleteFrom('maintenance_turn').execute();
    const orphans: OrphanCount[] = [];
    const errors: unknown[] = [];
    const janitor = new MaintenanceJanitor(
      store,
      { collectOrphans: (graceMs) => collectOrphans(store, world.blobs, graceMs) },
      { everyMs: 1, orphanGraceMs: 3_600_000, onOrphans: (count) => orphans.push(count), onError: (error) => errors.push(error) },
    );
    await Promise.all([janitor.round(), janitor.round()]);
    expect(orphans).toHaveLength(1); // all processes share one turn
    const waiting = await readUnfinishedDeletions(store.sweeper, 100);
    const own = waiting.filter(({ tenantId }) => tenantId === tenant.tenantId);
    expect(own).toHaveLength(1);
    expect(await work(own[0]!.deletionId)).toBe('done');
    expect(await look(own[0]!.deletionId)).toMatchObject({ kind: 'originals', requestedBy: null, removed: { files: 1, points: 0 } });
    const listed = await store.withTenant(tenant.tenantId, (scope) => listFiles(scope, experimentId, 10, null, null));
    expect(listed!.map(({ name, originalKept }) => [name, originalKept])).toEqual([
      ['tfevents.1', false],
      ['tfevents.2', true],
    ]);
    expect(await world.logical(tenant, experimentId)).toEqual(before);
    // The audit log records automatic actions of the service, and its expired entries are removed.
    const lines = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('audit_entry').select(['action', 'actor_id', 'object_id']).where('tenant_id', '=', tenant.tenantId).execute(),
    );
    expect(lines).toEqual([{ action: 'originals.delete', actor_id: null, object_id: own[0]!.deletionId }]);
    expect(errors).toEqual([]);
  });

  it('collects old objects without a row, and nothing else', async () => {
    tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    await upload(experimentId, { r: { 'tfevents.1': small('a') } });
    const before = await world.objects(tenant);
    expect(before.length).toBeGreaterThan(8);
    await collectOrphans(store, world.blobs, noGrace); // ranges that earlier tests abandoned
    await world.blobs.put(tenant.tenantId, `blob/${'0'.repeat(64)}`, Buffer.from('orphan'));
    await world.blobs.put(tenant.tenantId, 'segment/1/0-5-00000000-0123456789abcdef', Buffer.from('orphan'));
    await world.blobs.put(tenant.tenantId, 'original/1-5-0123456789abcdef', Buffer.from('orphan'));
    expect(await collectOrphans(store, world.blobs, 60_000)).toMatchObject({ removed: 0 });
    expect(await collectOrphans(store, world.blobs, noGrace)).toMatchObject({ removed: 3, bytes: 18 });
    expect(await world.objects(tenant)).toEqual(before);
  });
});
