import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ownerOf } from '#auth/testing';
import { MemoryBlobStore } from '#blobs/testing';
import { requestDeletion } from '#experiments';
import type { IngestRun } from '#jobs';
import { type ExperimentId, type FileId, Problem, type RunId } from '#model';
import { dropOriginal, joinOriginal } from '#originals';
import { frameRecords } from '#records/testing';
import { insertDeletion, listProblems, Operator, readFrontier, type Reopened, reopenFiles, Store } from '#store';
import { createTestDatabase, describeWith, encodeEvent, isCluster, type TestDatabase, writeEventFile } from '#testing';
import type { RecordPlace } from '../ingest-run/ingest-failure.ts';
import { type IngestDone, ingestRun } from '../ingest-run/ingest-run.ts';
import { workOnDeletion } from '../deletion/work-on-deletion.ts';
import { IngestThreadDied } from '../ingest-pool.ts';
import { publishEpochs } from '../publish/publish-epochs.ts';
import { DeletionWorld, type TestTenant } from '../testing/deletion-world.ts';
import { IngestRunHandler } from './ingest-run.handler.ts';

/** Tails are cut immediately, so that all points are in chunks. */
const options = { maxBatchBytes: 16 * 1024 * 1024, tail: { maxPoints: 0, maxAgeMs: 3_600_000 } };
const bounds = { maxBatchBytes: options.maxBatchBytes, believeLostAfterMs: 60_000 };

/** A log in parts, each with this many steps of one scalar. */
function logOf(counts: readonly number[], from = 0): Buffer[] {
  let step = from;
  return counts.map((count, part) => {
    const events = Array.from({ length: count }, () => ({ step, scalars: { loss: step++ } }));
    return Buffer.from(part === 0 ? writeEventFile(events) : frameRecords(events.map(encodeEvent)));
  });
}

describeWith(['postgres'], 'files that ended at unreadable stored bytes, and are reopened', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let store: Store;
  let operator: Operator;
  let blobs: MemoryBlobStore;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    operator = new Operator(database.migratorUrl);
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await operator.close();
    await store.close();
    await database.drop();
  });
  beforeEach(async () => {
    blobs = new MemoryBlobStore();
    world = new DeletionWorld(store, blobs);
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
  });

  async function upload(run: string, name: string, parts: readonly Buffer[]): Promise<{ fileId: FileId; bytes: number; job: IngestRun }> {
    const fileId = await world.open(tenant, experimentId, run, name);
    let bytes = 0;
    for (const part of parts) {
      await world.append(tenant, experimentId, fileId, bytes, part);
      bytes += part.length;
    }
    const { rows } = await admin.query<{ run_id: RunId }>('select run_id from event_file where file_id = $1', [fileId]);
    return { fileId, bytes, job: { tenantId: tenant.tenantId, experimentId, runId: rows[0]!.run_id } };
  }

  /** Removes a segment's object. Returns a function that restores it. */
  async function lose(fileId: FileId, offset: number): Promise<() => void> {
    const { rows } = await admin.query<{ object_key: string }>('select object_key from segment where file_id = $1 and "offset" = $2', [
      fileId,
      offset,
    ]);
    const name = `${tenant.tenantId}/${rows[0]!.object_key}`;
    const bytes = blobs.objects.get(name)!;
    blobs.objects.delete(name);
    return () => void blobs.objects.set(name, bytes);
  }

  /** Retries the run until nothing is left, skips the backoff, and publishes. */
  async function ingest(job: IngestRun, run = (): Promise<IngestDone> => inThread(job)): Promise<void> {
    const handler = new IngestRunHandler(store, { run, rollUp: async () => 'done' as const }, bounds, () => undefined);
    for (let tries = 0; ; tries++) {
      expect(tries).toBeLessThan(100);
      const outcome = await handler.handle(job);
      await publish();
      if (outcome === 'little' || outcome === 'idle') return;
      await admin.query(`update run_work set retry_at = 'epoch' where run_id = $1`, [job.runId]);
    }
  }

  function inThread(job: IngestRun): Promise<IngestDone> {
    return ingestRun(store, blobs, job, options);
  }

  const publish = (): Promise<unknown> =>
    publishEpochs(store, tenant.tenantId, experimentId, {
      listeners: [],
      onHealed: (reason) => expect.fail(`the progress batches contradict each other: ${reason}`),
    });
  const reopen = (): Promise<Reopened | null> => operator.run((_, inTenant) => reopenFiles(inTenant(tenant.tenantId), experimentId));
  const frontier = async () => (await store.withTenant(tenant.tenantId, (scope) => readFrontier(scope, experimentId)))!;
  const problems = async () =>
    (await store.withTenant(tenant.tenantId, (scope) => listProblems(scope, experimentId, 100, null, null)))!.map(
      ({ file, offset, bytes, reason }) => ({ file, offset, bytes, reason }),
    );
  const points = () => world.logical(tenant, experimentId);

  it('are ingested completely once the bytes are back, and the frontier never goes back', async () => {
    const logs = [logOf([30, 3_000, 30]), logOf([50], 100_000), logOf([20, 3_000], 200_000)];
    const sent = [
      await upload('a', 'events.out.tfevents.1', logs[0]!),
      await upload('a', 'events.out.tfevents.2', logs[1]!),
      await upload('b', 'events.out.tfevents.1', logs[2]!),
    ];
    const back = [await lose(sent[0]!.fileId, logs[0]![0]!.length), await lose(sent[2]!.fileId, logs[2]![0]!.length)];
    await ingest(sent[0]!.job);
    await ingest(sent[2]!.job);
    await world.complete(tenant, sent[0]!.fileId, sent[0]!.bytes);
    expect(await joinOriginal(store, blobs, tenant.tenantId, sent[0]!.fileId)).toBe('nothing-to-do');
    const lost = [logs[0]![1]!, logs[0]![2]!, logs[2]![1]!].reduce((sum, { length }) => sum + length, 0);
    const ended = await frontier();
    expect(ended).toMatchObject({ epoch: ended.acknowledgedEpoch, rejectedBytes: lost, visibleBytes: ended.acknowledgedBytes });
    expect(await problems()).toHaveLength(2);

    for (const putBack of back) putBack();
    expect(await reopen()).toEqual({ files: 2, bytes: lost, notKept: 0, heldRuns: 0 });
    await publish();
    const reopened = await frontier();
    expect(reopened).toMatchObject({ epoch: ended.epoch, rejectedBytes: 0, incompleteTailBytes: 0 });
    expect(reopened.acknowledgedEpoch).toBe(ended.acknowledgedEpoch + 1); // waiting for this epoch includes the reopened files
    expect(reopened.acknowledgedBytes).toBe(ended.acknowledgedBytes);
    expect(reopened.visibleBytes).toBe(ended.visibleBytes - lost);
    expect(await problems()).toEqual([]);
    expect(await reopen()).toEqual({ files: 0, bytes: 0, notKept: 0, heldRuns: 0 });

    await ingest(sent[0]!.job);
    expect((await frontier()).epoch).toBe(ended.epoch); // run b is not read yet
    await ingest(sent[2]!.job);
    const whole = await frontier();
    expect(whole).toMatchObject({ epoch: reopened.acknowledgedEpoch, acknowledgedEpoch: reopened.acknowledgedEpoch, rejectedBytes: 0 });
    expect(whole.visibleBytes).toBe(whole.acknowledgedBytes);
    expect(await problems()).toEqual([]);
    expect(await joinOriginal(store, blobs, tenant.tenantId, sent[0]!.fileId)).toBe('joined');

    // The result is the same as if nothing had been lost.
    const found = await points();
    experimentId = await world.experiment(tenant);
    for (const [run, name, log] of [
      ['a', '1', logs[0]!],
      ['a', '2', logs[1]!],
      ['b', '1', logs[2]!],
    ] as const)
      await ingest((await upload(run, `events.out.tfevents.${name}`, log)).job);
    const usual = await points();
    expect(usual.series.flatMap(({ all }) => all)).toHaveLength(30 + 3_000 + 30 + 50 + 20 + 3_000);
    expect(found.series).toEqual(usual.series);
    expect(found.runs).toEqual(usual.runs);
  });

  it('end again at the same offset if they are still unreadable', async () => {
    const log = logOf([30, 3_000, 30]);
    const { fileId, job } = await upload('run', 'events.out.tfevents.1', log);
    const putBack = await lose(fileId, log[0]!.length);
    await ingest(job);
    const [before, ended] = [await frontier(), await problems()];
    for (let round = 0; round < 2; round++) {
      expect(await reopen()).toMatchObject({ files: 1 });
      await ingest(job);
      expect(await problems()).toEqual(ended);
      const { epoch, acknowledgedEpoch, rejectedBytes } = await frontier();
      expect({ epoch, rejectedBytes }).toEqual({ epoch: acknowledgedEpoch, rejectedBytes: before.rejectedBytes });
    }
    putBack();
    await reopen();
    await ingest(job);
    expect(await problems()).toEqual([]);
    expect(await frontier()).toMatchObject({ rejectedBytes: 0, incompleteTailBytes: 0 });
  });

  it('count nothing twice if their rest was not skipped yet', async () => {
    const log = logOf([30, 3_000, 30]);
    const { fileId, job, bytes } = await upload('run', 'events.out.tfevents.1', log);
    const putBack = await lose(fileId, log[0]!.length);
    const handler = new IngestRunHandler(store, { run: () => inThread(job), rollUp: async () => 'done' as const }, bounds, () => undefined);
    while ((await problems()).length === 0) {
      await handler.handle(job);
      await admin.query(`update run_work set retry_at = 'epoch' where run_id = $1`, [job.runId]);
    }
    putBack();
    expect(await reopen()).toEqual({ files: 1, bytes: 0, notKept: 0, heldRuns: 0 }); // they are still pending
    await ingest(job);
    const { visibleBytes, rejectedBytes } = await frontier();
    expect({ visibleBytes, rejectedBytes }).toEqual({ visibleBytes: bytes, rejectedBytes: 0 });
  });

  it('resume in a partly read segment that killed threads, and try its records again', async () => {
    const { fileId, job, bytes } = await upload('run', 'events.out.tfevents.1', logOf([80]));
    // Each batch has one record, so the file ends inside its only segment.
    await admin.query(`update run_work set failures = 5, batch_bytes = 1 where run_id = $1`, [job.runId]);
    await inThread(job);
    const { rows } = await admin.query<{ parsed_offset: string }>('select parsed_offset from file_progress where file_id = $1', [fileId]);
    const offset = Number(rows[0]!.parsed_offset);
    expect(offset).toBeGreaterThan(0);
    const deadly: RecordPlace = { fileId, offset };
    const isEnded = async (): Promise<boolean> => (await problems()).some(({ reason }) => reason === 'reading-fails');
    await ingest(job, async () => {
      if (await isEnded()) return inThread(job);
      throw new IngestThreadDied('the ingest thread ended with code 1', deadly);
    });
    expect((await problems()).map(({ reason }) => reason)).toEqual(['quarantined', 'reading-fails']);
    expect((await frontier()).rejectedBytes).toBe(bytes - offset);

    expect(await reopen()).toEqual({ files: 1, bytes, notKept: 0, heldRuns: 0 });
    await ingest(job);
    expect(await problems()).toEqual([]);
    expect(await frontier()).toMatchObject({ rejectedBytes: 0, incompleteTailBytes: 0, visibleBytes: bytes });
  });

  it('exclude files that ended by their own damage, deleted ones and those not kept', async () => {
    const log = logOf([30, 3_000]);
    const own = await upload('own', 'events.out.tfevents.1', [log[0]!, Buffer.alloc(100, 0xff)]);
    await ingest(own.job);
    const before = await problems();
    expect(before).toMatchObject([{ reason: 'length-checksum' }]);
    expect(await reopen()).toEqual({ files: 0, bytes: 0, notKept: 0, heldRuns: 0 });
    expect(await problems()).toEqual(before);

    const { fileId, job, bytes } = await upload('run', 'events.out.tfevents.1', log);
    await lose(fileId, log[0]!.length);
    await ingest(job);
    await admin.query('update event_file set dropped_bytes = $2 where file_id = $1', [fileId, bytes]);
    expect(await reopen()).toEqual({ files: 0, bytes: 0, notKept: 1, heldRuns: 0 });
    await admin.query('update run set deleted_at = now() where run_id = $1', [job.runId]);
    expect(await reopen()).toEqual({ files: 0, bytes: 0, notKept: 0, heldRuns: 0 });
    await admin.query('update experiment set deleted_at = now() where experiment_id = $1', [experimentId]);
    expect(await reopen()).toBeNull();
  });

  /** Runs a deletion of all points of the tag, as a janitor would. */
  const deleteLoss = async () => {
    const { deletionId } = await store.withTenant(tenant.tenantId, (scope) =>
      requestDeletion(scope, ownerOf(tenant), experimentId, { tags: ['loss'] }),
    );
    const janitor = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
    return { deletionId, work: () => workOnDeletion(store, blobs, { tenantId: tenant.tenantId, deletionId }, janitor) };
  };
  const pointsLeft = async () => (await points()).series.flatMap(({ all }) => all).length;

  it('bring back nothing that was deleted before, though it was acknowledged and not read', async () => {
    const log = logOf([30, 3_000, 30]);
    const { fileId, job } = await upload('run', 'events.out.tfevents.1', log);
    const putBack = await lose(fileId, log[0]!.length);
    await ingest(job);
    const { work } = await deleteLoss();
    putBack();
    expect(await reopen()).toMatchObject({ files: 1 });
    expect(await work()).toBe('waiting');
    await ingest(job);
    expect(await pointsLeft()).toBe(3_060);
    expect(await work()).toBe('done');
    expect(await pointsLeft()).toBe(0);
    await ingest(job);
    expect([await pointsLeft(), await problems()]).toEqual([0, []]);
  });

  it('exclude runs that a deletion holds, and this is reported', async () => {
    const log = logOf([30, 3_000, 30]);
    const [held, other] = [
      await upload('held', 'events.out.tfevents.1', log),
      await upload('other', 'events.out.tfevents.1', logOf([20, 3_000], 200_000)),
    ];
    const back = [await lose(held.fileId, log[0]!.length), await lose(other.fileId, logOf([20], 200_000)[0]!.length)];
    for (const { job } of [held, other]) await ingest(job);
    const { deletionId, work } = await deleteLoss();
    await admin.query('update run_work set held_by = $1 where run_id = $2', [deletionId, held.job.runId]);
    for (const putBack of back) putBack();
    expect(await reopen()).toMatchObject({ files: 1, heldRuns: 1, notKept: 0 });
    await ingest(other.job);
    expect(await work()).toBe('done');
    expect(await pointsLeft()).toBe(0);
    // The original was rewritten without these points, so it is readable again and restores
    // nothing.
    expect(await reopen()).toMatchObject({ files: 1, heldRuns: 0, notKept: 0 });
    for (const { job } of [held, other]) await ingest(job);
    expect(await pointsLeft()).toBe(0);
  });

  it('include only files of runs that were locked in time, since a file may end meanwhile', async () => {
    const log = logOf([30, 3_000]);
    const [first, later] = [await upload('a', 'events.out.tfevents.1', log), await upload('b', 'events.out.tfevents.1', log)];
    const back = [await lose(first.fileId, log[0]!.length), await lose(later.fileId, log[0]!.length)];
    await ingest(first.job);
    const worker = new pg.Client({ connectionString: database.adminUrl });
    await worker.connect();
    try {
      await worker.query('begin');
      await worker.query('select from run_work where tenant_id = $1 and run_id = $2 for update', [tenant.tenantId, first.job.runId]);
      const reopening = reopen();
      // On a cluster, a worker node waits for the lock, and the coordinator waits for the worker
      // node
      const waits = isCluster()
        ? 'select from citus_lock_waits'
        : 'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
      await expect.poll(async () => (await admin.query(waits)).rowCount).toBe(1);
      await ingest(later.job);
      await worker.query('rollback');
      expect(await reopening).toMatchObject({ files: 1 });
    } finally {
      await worker.end();
    }
    for (const putBack of back) putBack();
    expect(await reopen()).toMatchObject({ files: 1 });
    for (const { job } of [first, later]) await ingest(job);
    expect([await pointsLeft(), await problems()]).toEqual([6_060, []]);
  });

  it('keep what was reopened while their original is dropped', async () => {
    const log = logOf([30, 3_000, 30]);
    const { fileId, job, bytes } = await upload('run', 'events.out.tfevents.1', log);
    const putBack = await lose(fileId, log[0]!.length);
    await ingest(job);
    putBack();
    // Directly before the first transaction that writes
    let reopened: Reopened | null = null;
    const reopening = Object.create(store, {
      withTenant: {
        value: async (...[tenantId, work, how]: Parameters<Store['withTenant']>): Promise<unknown> => {
          if (how?.readOnly !== true) reopened ??= await reopen();
          return store.withTenant(tenantId, work, how);
        },
      },
    }) as Store;
    expect(await dropOriginal(reopening, blobs, tenant.tenantId, fileId, randomUUID())).toBe('dropped');
    expect(reopened).toMatchObject({ files: 1 });
    await ingest(job);
    const { visibleBytes, rejectedBytes } = await frontier();
    expect({ visibleBytes, rejectedBytes }).toEqual({ visibleBytes: bytes, rejectedBytes: 0 });
    expect([await pointsLeft(), await problems()]).toEqual([3_060, []]);
  });

  /** A file that ends in the middle of a record and was read up to its end. */
  const uploadPartial = async (run: string) => {
    const log = logOf([30, 3_000]);
    const sent = await upload(run, 'events.out.tfevents.1', [log[0]!, log[1]!.subarray(0, -10)]);
    await ingest(sent.job);
    return { ...sent, loseRecord: () => lose(sent.fileId, log[0]!.length) };
  };
  const damaged = 'the stored original is damaged';

  const reject = (error: Error) => async () => {
    const rejecting = vi.spyOn(blobs, 'get').mockRejectedValue(error);
    return () => rejecting.mockRestore();
  };
  const storeDown = new Problem('store-unavailable', 'The object store is down.');

  it.each([
    [damaged, 'is let go', (loseRecord: () => Promise<() => void>) => loseRecord()],
    ['denied', 'is let go', reject(new Error('denied'))],
    [storeDown.message, 'waits', reject(storeDown)],
  ])('a run whose partial record a deletion cannot read (%s) %s', async (why, what, fail) => {
    const { job, loseRecord } = await uploadPartial('run');
    const { deletionId, work } = await deleteLoss();
    const mend = await fail(loseRecord);
    await expect(work()).rejects.toThrow(why);
    const { rows } = await admin.query<{ held_by: string | null }>('select held_by from run_work where run_id = $1', [job.runId]);
    expect(rows).toEqual([{ held_by: what === 'waits' ? deletionId : null }]);
    mend();
    expect(await work()).toBe('done');
    expect(await pointsLeft()).toBe(0);
  });

  it('a deletion deletes the points of other runs if the partial record of one is lost', async () => {
    const first = await uploadPartial('a');
    await uploadPartial('b');
    const { work } = await deleteLoss();
    const putBack = await first.loseRecord();
    await expect(work()).rejects.toThrow(damaged);
    expect((await points()).series.map(({ run }) => run)).toEqual(['a']);
    putBack();
    expect(await work()).toBe('done');
    expect(await pointsLeft()).toBe(0);
  });

  it('a deletion drops the other old originals if the partial record of one is lost', async () => {
    const files = [await uploadPartial('a'), await uploadPartial('b')];
    for (const { fileId, bytes } of files) await world.complete(tenant, fileId, bytes);
    await admin.query('update workspace set originals_days = 1 where tenant_id = $1', [tenant.tenantId]);
    await admin.query(`update event_file set completed_at = now() - interval '2 days' where experiment_id = $1`, [experimentId]);
    await files[0]!.loseRecord();
    const deletionId = randomUUID();
    const all = { experimentId: null, runIds: null, tagHashes: null, fromStep: null, toStep: null, throughEpoch: null, requestedBy: null };
    await store.withTenant(tenant.tenantId, (scope) => insertDeletion(scope, { deletionId, kind: 'originals', ...all }));
    const work = workOnDeletion(store, blobs, { tenantId: tenant.tenantId, deletionId }, { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 });
    await expect(work).rejects.toThrow(damaged);
    const { rows } = await admin.query<{ file_id: FileId }>(
      'select file_id from event_file where experiment_id = $1 and dropped_bytes > 0',
      [experimentId],
    );
    expect(rows.map(({ file_id: id }) => id)).toEqual([files[1]!.fileId]);
  });

  it('a file ends whose partial record is lost, even if a deletion retries the run in between', async () => {
    const log = logOf([30, 3_000]);
    const { fileId, job, bytes } = await upload('run', 'events.out.tfevents.1', [log[0]!, log[1]!.subarray(0, -10)]);
    await ingest(job);
    const { work } = await deleteLoss();
    await lose(fileId, log[0]!.length);
    await world.append(tenant, experimentId, fileId, bytes, log[1]!.subarray(-10));
    const handler = new IngestRunHandler(store, { run: () => inThread(job), rollUp: async () => 'done' as const }, bounds, () => undefined);
    for (let tries = 0; ; tries++) {
      expect(tries).toBeLessThan(20);
      await handler.handle(job);
      if ((await problems()).length > 0) break;
      await expect(work()).rejects.toThrow('the stored original is damaged');
      await admin.query(`update run_work set retry_at = 'epoch' where run_id = $1`, [job.runId]);
    }
    expect(await problems()).toMatchObject([{ reason: 'stored-bytes-lost' }]);
    await ingest(job);
    expect(await work()).toBe('done');
    expect(await pointsLeft()).toBe(0);
    const { rows } = await admin.query('select failures, last_error, held_by from run_work where run_id = $1', [job.runId]);
    expect(rows).toEqual([{ failures: 0, last_error: null, held_by: null }]);
  });
});
