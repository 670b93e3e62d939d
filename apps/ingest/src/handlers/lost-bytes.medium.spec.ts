import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { BlobNotFound, type ByteRange } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import { decodeBody, decodeTail } from '#chunks';
import type { IngestRun } from '#jobs';
import { type ExperimentId, type FileId, Problem, type RunId, type TenantId } from '#model';
import { joinOriginal } from '#originals';
import { listProblems, readFrontier, Store } from '#store';
import { frameRecords } from '#records/testing';
import { createTestDatabase, describeWith, encodeEvent, type EventSpec, type TestDatabase, writeEventFile } from '#testing';
import type { RecordPlace } from '../ingest-run/ingest-failure.ts';
import { type IngestDone, ingestRun } from '../ingest-run/ingest-run.ts';
import { IngestThreadDied } from '../ingest-pool.ts';
import { DeletionWorld, type TestTenant } from '../testing/deletion-world.ts';
import { IngestRunHandler } from './ingest-run.handler.ts';

const options = { maxBatchBytes: 16 * 1024 * 1024, tail: { maxPoints: 65_536, maxAgeMs: 3_600_000 } };
/** The time limit for these tests: seven attempts take a minute. */
const believeLostAfterMs = 60_000;
/** Maximum age of a run's oldest pending byte: 10 minutes, in milliseconds. */
const maxPendingMs = 600_000;
const poison = 'poison';

/** An object store that can be down, or a folder on a disk that is not mounted. */
class TroubledStore extends MemoryBlobStore {
  trouble: 'none' | 'down' | 'not mounted' = 'none';

  override async get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer> {
    this.#check(key);
    return super.get(tenantId, key, range);
  }

  override async now(): Promise<Date> {
    this.#check('the folder');
    return super.now();
  }

  #check(key: string): void {
    if (this.trouble === 'down') throw new Problem('store-unavailable', 'The object store cannot be reached.');
    if (this.trouble === 'not mounted') throw new BlobNotFound(key);
  }
}

/**
 * The result of an attempt: why it failed (null if it succeeded), and the delay before the next
 * attempt.
 */
interface Try {
  readonly failure: string | null;
  readonly pauseMs: number;
}

/**
 * A log with one scalar per record, in parts of this many records. The first part starts with the
 * version record.
 */
function partsOf(first: number, counts: readonly number[], tag = (_step: number): string => 'loss'): Buffer[] {
  let step = first;
  return counts.map((count, part) => {
    const events = Array.from({ length: count }, (): EventSpec => ({ step, scalars: { [tag(step)]: step++ } }));
    return Buffer.from(part === 0 ? writeEventFile(events) : frameRecords(events.map(encodeEvent)));
  });
}

function flipBit(bytes: Buffer, at = bytes.length >> 1): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at]! ^= 1;
  return damaged;
}

describeWith(['postgres'], 'a run whose attempts fail', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let store: Store;
  let blobs: TroubledStore;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    // Simulates that Postgres rejects something that passed all of our checks.
    await admin.query(`alter table series add constraint poison check (tag <> '${poison}')`);
  });

  afterAll(async () => {
    await admin.end();
    await store.close();
    await database.drop();
  });

  beforeEach(async () => {
    blobs = new TroubledStore();
    world = new DeletionWorld(store, blobs);
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
  });

  /** Uploads a file of the run, part by part. */
  async function upload(name: string, parts: readonly Buffer[]): Promise<{ fileId: FileId; bytes: number; job: IngestRun }> {
    const fileId = await world.open(tenant, experimentId, 'run', name);
    let bytes = 0;
    for (const part of parts) {
      await world.append(tenant, experimentId, fileId, bytes, part);
      bytes += part.length;
    }
    const { rows } = await admin.query<{ run_id: RunId }>('select run_id from event_file where file_id = $1', [fileId]);
    return { fileId, bytes, job: { tenantId: tenant.tenantId, experimentId, runId: rows[0]!.run_id } };
  }

  /** Flips a bit in the data of a segment row. */
  async function damageRow(fileId: FileId, offset: number): Promise<void> {
    const { rows } = await admin.query<{ body: Buffer }>('select body from segment where file_id = $1 and "offset" = $2', [fileId, offset]);
    await admin.query('update segment set body = $3 where file_id = $1 and "offset" = $2', [fileId, offset, flipBit(rows[0]!.body)]);
  }

  async function objectOf(fileId: FileId, offset: number): Promise<string> {
    const { rows } = await admin.query<{ object_key: string }>('select object_key from segment where file_id = $1 and "offset" = $2', [
      fileId,
      offset,
    ]);
    return `${tenant.tenantId}/${rows[0]!.object_key}`;
  }

  /** Retries the run until it is done, or this many times, and skips the backoff. */
  async function tryOn(
    job: IngestRun,
    {
      max = 200,
      waitMs = believeLostAfterMs,
      run = (): Promise<IngestDone> => inThread(job),
      onTry = async (_tries: readonly Try[]): Promise<void> => undefined,
    } = {},
  ): Promise<Try[]> {
    let failure: string | null = null;
    const pool = { run, rollUp: async () => 'done' as const };
    const bounds = { maxBatchBytes: options.maxBatchBytes, believeLostAfterMs: waitMs };
    const handler = new IngestRunHandler(store, pool, bounds, (error) => (failure = String(error)));
    const tries: Try[] = [];
    while (tries.length < max) {
      failure = null;
      const outcome = await handler.handle(job);
      if (outcome === 'little' || outcome === 'idle') return tries;
      const { rows } = await admin.query<{ ms: string }>(
        `select greatest(0, extract(epoch from retry_at - now())) * 1000 as ms from run_work where run_id = $1`,
        [job.runId],
      );
      tries.push({ failure, pauseMs: failure === null ? 0 : Number(rows[0]!.ms) });
      await admin.query(`update run_work set retry_at = 'epoch' where run_id = $1`, [job.runId]);
      await onTry(tries);
    }
    return tries;
  }

  function inThread(job: IngestRun, onReading?: (place: RecordPlace | null) => void): Promise<IngestDone> {
    return ingestRun(store, blobs, job, options, onReading);
  }

  /**
   * Acts like a pool whose thread dies when the job fails: only what the thread reported before is
   * known.
   */
  async function inMortalThread(job: IngestRun): Promise<IngestDone> {
    let reading: RecordPlace | null = null;
    try {
      return await inThread(job, (place) => (reading = place));
    } catch {
      throw new IngestThreadDied('the ingest thread ended with code 1', reading);
    }
  }

  /** The visible steps of all series. */
  async function steps(): Promise<number[]> {
    return store.withTenant(tenant.tenantId, async ({ trx }) => {
      const tails = await trx.selectFrom('run_tail').select('body').where('tenant_id', '=', tenant.tenantId).execute();
      const chunks = await trx.selectFrom('scalar_chunk').select('body').where('tenant_id', '=', tenant.tenantId).execute();
      return [
        ...chunks.flatMap(({ body }) => [...decodeBody(body).points.steps]),
        ...tails.flatMap(({ body }) => decodeTail(body).flatMap((entry) => [...entry.points.steps])),
      ]
        .map(Number)
        .toSorted((a, b) => a - b);
    });
  }

  async function problems() {
    const found = await store.withTenant(tenant.tenantId, (scope) => listProblems(scope, experimentId, 100, null, null));
    return found!.map(({ file, offset, bytes, reason, detail, endsFile }) => ({ file, offset, bytes, reason, detail, endsFile }));
  }

  async function frontier() {
    return (await store.withTenant(tenant.tenantId, (scope) => readFrontier(scope, experimentId)))!;
  }

  const pausesOf = (tries: readonly Try[]): number[] => tries.filter(({ failure }) => failure !== null).map(({ pauseMs }) => pauseMs);
  const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, i) => from + i);

  /**
   * Damages the second of a file's three parts. Expects that everything else is read, and that the
   * rest of the file is reported as lost.
   */
  async function expectLost(counts: readonly number[], damage: (fileId: FileId, offset: number) => Promise<void>, finding: string) {
    const parts = partsOf(0, counts);
    const { fileId, bytes, job } = await upload('events.out.tfevents.1', parts);
    await upload('events.out.tfevents.2', partsOf(100_000, [50]));
    const [first, second, third] = parts.map(({ length }) => length) as [number, number, number];
    await damage(fileId, first);
    const others = [...upTo(counts[0]!), ...upTo(100_050, 100_000)];

    const tries = await tryOn(job, {
      onTry: async (made) => {
        // Data before the damage and the run's other files are ingested without another attempt.
        if (pausesOf(made).length === 1) expect(await steps()).toEqual(others);
      },
    });

    const pauses = pausesOf(tries);
    expect(pauses.length).toBeGreaterThanOrEqual(5);
    expect(pauses.length).toBeLessThanOrEqual(10);
    const waits = pauses.slice(0, -1); // there is no delay after the last failure
    for (const [i, wait] of waits.slice(1).entries()) expect(wait).toBeGreaterThan(1.5 * waits[i]!);
    const all = waits.reduce((sum, wait) => sum + wait, 0);
    expect(all).toBeGreaterThan(45_000);
    expect(all).toBeLessThan(maxPendingMs / 3);

    expect(await steps()).toEqual(others);
    expect(await problems()).toEqual([
      {
        file: 'events.out.tfevents.1',
        offset: first,
        bytes: second,
        reason: 'stored-bytes-lost',
        detail: expect.stringContaining(finding) as string,
        endsFile: true,
      },
    ]);
    expect(await frontier()).toMatchObject({ rejectedBytes: second + third, incompleteTailBytes: 0 });
    const { acknowledgedBytes, visibleBytes } = await frontier();
    expect(visibleBytes).toBe(acknowledgedBytes);
    // Nothing of the file is removed, even if its segments are joined after completion.
    await world.complete(tenant, fileId, bytes);
    expect(await joinOriginal(store, blobs, tenant.tenantId, fileId)).toBe('nothing-to-do');
    const { rows } = await admin.query('select from segment where file_id = $1', [fileId]);
    expect(rows).toHaveLength(3);
    // Later bytes are settled without being read, as after any damage that ends a file.
    const [more] = partsOf(5_000, [10]) as [Buffer];
    await world.append(tenant, experimentId, fileId, bytes, more);
    expect((await tryOn(job)).filter(({ failure }) => failure !== null)).toEqual([]);
    expect((await frontier()).rejectedBytes).toBe(second + third + more.length);
    expect(await steps()).toEqual(others);
  }

  it('ends a file at a damaged ledger row, after attempts over a minute; the rest of the run continues', async () => {
    await expectLost([30, 30, 30], damageRow, 'the checksum of the segment');
  });

  it('ends a file at a damaged row of few bytes, stored unencoded', async () => {
    await expectLost([30, 1, 30], damageRow, 'the checksum of the segment');
  });

  it('ends a file at a damaged object', async () => {
    const damage = async (fileId: FileId, offset: number): Promise<void> => {
      const name = await objectOf(fileId, offset);
      blobs.objects.set(name, flipBit(blobs.objects.get(name)!));
    };
    await expectLost([30, 3_000, 30], damage, 'the checksum of the segment');
  });

  it('ends a file at a missing object while the store answers', async () => {
    const damage = async (fileId: FileId, offset: number): Promise<void> => {
      blobs.objects.delete(await objectOf(fileId, offset));
    };
    await expectLost([30, 3_000, 30], damage, 'one of its objects is missing');
  });

  it('ends every damaged file of a run after the same attempts, each at its own offset', async () => {
    const files = ['1', '2', '3'].map((name, i) => ({ name: `events.out.tfevents.${name}`, parts: partsOf(i * 1_000, [20, 20]) }));
    let job: IngestRun | null = null;
    for (const { name, parts } of files) {
      const uploaded = await upload(name, parts);
      await damageRow(uploaded.fileId, parts[0]!.length);
      job = uploaded.job;
    }
    expect(pausesOf(await tryOn(job!))).toHaveLength(7);
    expect((await problems()).map(({ file, offset, bytes }) => ({ file, offset, bytes }))).toEqual(
      files.map(({ name, parts }) => ({ file: name, offset: parts[0]!.length, bytes: parts[1]!.length })),
    );
    expect(await steps()).toEqual([...upTo(20), ...upTo(1_020, 1_000), ...upTo(2_020, 2_000)]);
  });

  it('ends a damaged file even if another file of its run progresses at each attempt', async () => {
    const [head, lost] = partsOf(0, [20, 20]) as [Buffer, Buffer];
    const { fileId, job } = await upload('events.out.tfevents.1', [head, lost]);
    await damageRow(fileId, head.length);
    const live = await upload('events.out.tfevents.2', partsOf(1_000, [1]));
    let end = live.bytes;
    const tries = await tryOn(job, {
      onTry: async () => {
        const [, more] = partsOf(1_000, [1, 1]) as [Buffer, Buffer];
        await world.append(tenant, experimentId, live.fileId, end, more);
        end += more.length;
      },
      max: 40,
    });
    expect(pausesOf(tries)).toHaveLength(7);
    expect(await problems()).toMatchObject([{ file: 'events.out.tfevents.1', offset: head.length, reason: 'stored-bytes-lost' }]);
  });

  it('ends a file within a record whose start was settled before the rest was lost, and counts all of its bytes', async () => {
    const [whole] = partsOf(0, [3_000]) as [Buffer];
    const cut = whole.length - 20;
    const { fileId, job } = await upload('events.out.tfevents.1', [whole.subarray(0, cut)]);
    expect((await tryOn(job)).filter(({ failure }) => failure !== null)).toEqual([]);
    const partialBytes = (await frontier()).incompleteTailBytes;
    expect(partialBytes).toBeGreaterThan(0);
    blobs.objects.delete(await objectOf(fileId, 0));
    await world.append(tenant, experimentId, fileId, cut, whole.subarray(cut));
    expect(pausesOf(await tryOn(job))).toHaveLength(7);
    expect(await problems()).toMatchObject([{ offset: 0, bytes: cut, reason: 'stored-bytes-lost' }]);
    expect(await frontier()).toMatchObject({ rejectedBytes: partialBytes + 20, incompleteTailBytes: 0 });
    expect(await steps()).toEqual(upTo(2_999));
  });

  it('continues normally if the bytes are repaired before the last attempt', async () => {
    const { fileId, job } = await upload('events.out.tfevents.1', partsOf(0, [30, 3_000, 30]));
    const offset = Number(
      (await admin.query('select "offset" from segment where object_key is not null and file_id = $1', [fileId])).rows[0].offset,
    );
    const name = await objectOf(fileId, offset);
    const bytes = blobs.objects.get(name)!;
    blobs.objects.delete(name);
    await tryOn(job, {
      onTry: async (made) => {
        if (pausesOf(made).length === 6) blobs.objects.set(name, bytes);
      },
    });
    expect(await problems()).toEqual([]);
    expect(await steps()).toEqual(upTo(3_060));
  });

  it.each(['down', 'not mounted'] as const)('never mistakes a store that is %s for one that has lost something', async (trouble) => {
    const { job } = await upload('events.out.tfevents.1', partsOf(0, [30, 3_000, 30]));
    blobs.trouble = trouble;
    const tries = await tryOn(job, { max: 50 });
    expect(pausesOf(tries).length).toBeGreaterThanOrEqual(49);
    expect(Math.min(...pausesOf(tries))).toBeGreaterThan(500);
    expect(await problems()).toEqual([]);
    expect((await frontier()).rejectedBytes).toBe(0);
    blobs.trouble = 'none';
    await tryOn(job);
    expect(await problems()).toEqual([]);
    expect(await steps()).toEqual(upTo(3_060));
  });

  it('starts counting again after the store was down', async () => {
    const { fileId, job } = await upload('events.out.tfevents.1', partsOf(0, [3_000]));
    blobs.objects.delete(await objectOf(fileId, 0));
    for (let round = 0; round < 3; round++) {
      await tryOn(job, { max: 6 });
      blobs.trouble = 'down';
      await tryOn(job, { max: 1 });
      blobs.trouble = 'none';
    }
    expect(await problems()).toEqual([]);
    await tryOn(job);
    expect(await problems()).toMatchObject([{ offset: 0, reason: 'stored-bytes-lost' }]);
  });

  it.each(['nothing', 'an outage of the store'])(
    'counts a failure of another kind after lost bytes from one: between them %s',
    async (between) => {
      const { fileId, job } = await upload('events.out.tfevents.1', partsOf(0, [3_000]));
      const key = await objectOf(fileId, 0);
      const bytes = blobs.objects.get(key)!;
      blobs.objects.delete(key);
      await tryOn(job, { max: 6 });
      if (between === 'an outage of the store') {
        blobs.trouble = 'down';
        await tryOn(job, { max: 1 });
        blobs.trouble = 'none';
      }
      blobs.objects.set(key, bytes);
      const run = async (): Promise<IngestDone> => {
        throw new Error('something else');
      };
      await tryOn(job, { max: 2, run });
      const { rows } = await admin.query('select failures, batch_bytes from run_work where run_id = $1', [job.runId]);
      expect(rows).toEqual([{ failures: 2, batch_bytes: null }]);
    },
  );

  it('quarantines a bad record alone, and none of its neighbors, if each segment is one record', async () => {
    const parts = partsOf(
      0,
      Array.from({ length: 30 }, () => 1),
      (step) => (step === 20 ? poison : 'loss'),
    );
    const { job } = await upload('events.out.tfevents.1', parts);
    const tries = await tryOn(job);
    expect(pausesOf(tries).length).toBeLessThan(20);
    expect(await problems()).toMatchObject([
      { offset: parts.slice(0, 20).reduce((sum, { length }) => sum + length, 0), reason: 'quarantined', endsFile: false },
    ]);
    expect(await steps()).toEqual(upTo(30).filter((step) => step !== 20));
  });

  it('quarantines the record that kills the thread, which the thread reported before it died', async () => {
    const { job } = await upload(
      'events.out.tfevents.1',
      partsOf(0, [120], (step) => (step === 70 ? poison : 'loss')),
    );
    const tries = await tryOn(job, { run: () => inMortalThread(job) });
    const pauses = pausesOf(tries);
    expect(pauses.length).toBeGreaterThanOrEqual(9);
    expect(pauses.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(maxPendingMs / 2);
    expect(await problems()).toMatchObject([
      { reason: 'quarantined', detail: expect.stringContaining('the ingest thread ended') as string, endsFile: false },
    ]);
    expect(await steps()).toEqual(upTo(120).filter((step) => step !== 70));
  });

  it('ends a file if the thread still dies after the record was quarantined', async () => {
    const { job, bytes, fileId } = await upload('events.out.tfevents.1', partsOf(0, [120]));
    const isEnded = async (): Promise<boolean> =>
      (await admin.query('select ended from file_progress where file_id = $1', [fileId])).rows[0].ended as boolean;
    const tries = await tryOn(job, {
      run: async () => {
        if (await isEnded()) return inThread(job);
        throw new IngestThreadDied('the ingest thread ended with code 1', { fileId, offset: 0 });
      },
    });
    expect(pausesOf(tries).reduce((sum, wait) => sum + wait, 0)).toBeLessThan(maxPendingMs / 2);
    expect((await problems()).map(({ reason, offset, endsFile }) => ({ reason, offset, endsFile }))).toEqual([
      { reason: 'quarantined', offset: 0, endsFile: false },
      { reason: 'reading-fails', offset: 0, endsFile: true },
    ]);
    expect(await frontier()).toMatchObject({ rejectedBytes: bytes });
  });

  it.each([
    ['before any record', (): RecordPlace | null => null],
    [
      'at a different record each time',
      (n: number, files: readonly FileId[]): RecordPlace | null => ({ fileId: files[n % 3]!, offset: 0 }),
    ],
    [
      'sometimes at a record',
      (n: number, files: readonly FileId[]): RecordPlace | null => (n % 2 ? { fileId: files[0]!, offset: 0 } : null),
    ],
  ])('blames no bytes if threads die %s', async (_where, placeOf) => {
    const files = [];
    for (const name of ['1', '2', '3']) files.push(await upload(`events.out.tfevents.${name}`, partsOf(Number(name) * 1_000, [20])));
    const { job } = files[0]!;
    const ids = files.map(({ fileId }) => fileId);
    let deaths = 0;
    const run = async (): Promise<IngestDone> => {
      throw new IngestThreadDied('the ingest thread ended with code 1', placeOf(deaths++, ids));
    };
    const pauses = pausesOf(await tryOn(job, { max: 40, run }));
    expect(pauses).toHaveLength(40);
    expect(pauses.at(-1)).toBeGreaterThan(9_000);
    expect(await problems()).toEqual([]);
    await tryOn(job);
    expect(await problems()).toEqual([]);
    expect(await steps()).toEqual([1_000, 2_000, 3_000].flatMap((from) => upTo(from + 20, from)));
  });

  it('never mistakes an unknown encoding for damage: a newer version stored it', async () => {
    const { fileId, job } = await upload('events.out.tfevents.1', partsOf(0, [30, 30, 30]));
    const { rows } = await admin.query<{ offset: string; encoding: number }>(
      'select "offset", encoding from segment where file_id = $1 order by "offset" limit 1 offset 1',
      [fileId],
    );
    const { offset, encoding } = rows[0]!;
    const setEncoding = (to: number) =>
      admin.query('update segment set encoding = $3 where file_id = $1 and "offset" = $2', [fileId, offset, to]);
    await setEncoding(9);
    const tries = await tryOn(job, { max: 60 });
    expect(pausesOf(tries).at(-1)).toBeGreaterThan(9_000);
    expect(await problems()).toEqual([]);
    expect((await frontier()).rejectedBytes).toBe(0);
    await setEncoding(encoding);
    await tryOn(job);
    expect(await problems()).toEqual([]);
    expect(await steps()).toEqual(upTo(90));
  });

  it('counts concurrent failures of several processes as one attempt', async () => {
    const { job } = await upload('events.out.tfevents.1', partsOf(0, [20]));
    const run = async (): Promise<IngestDone> => {
      throw new Error('permission denied for table segment');
    };
    const bounds = { maxBatchBytes: options.maxBatchBytes, believeLostAfterMs };
    const handlers = [1, 2, 3].map(
      () => new IngestRunHandler(store, { run, rollUp: async () => 'done' as const }, bounds, () => undefined),
    );
    expect(await Promise.all(handlers.map((handler) => handler.handle(job)))).toEqual(['busy', 'busy', 'busy']);
    expect((await admin.query('select failures from run_work where run_id = $1', [job.runId])).rows).toEqual([{ failures: 1 }]);
  });

  it('waits for the configured time before it considers bytes lost', async () => {
    const { fileId, job } = await upload('events.out.tfevents.1', partsOf(0, [3_000]));
    blobs.objects.delete(await objectOf(fileId, 0));
    const pauses = pausesOf(await tryOn(job, { waitMs: 480_000 }));
    const waited = pauses.slice(0, -1).reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(475_000); // excluding the test's own time between attempts
    expect(waited).toBeLessThan(maxPendingMs - 60_000);
    expect(await problems()).toMatchObject([{ reason: 'stored-bytes-lost' }]);
  });

  it('backs off for a failure without suspect bytes, and quarantines nothing', async () => {
    const { job } = await upload('events.out.tfevents.1', partsOf(0, [120]));
    let isMended = false;
    const run = async (): Promise<IngestDone> => {
      if (isMended) return inThread(job);
      throw new Error('permission denied for table segment');
    };
    const pauses = pausesOf(await tryOn(job, { max: 40, run }));
    expect(pauses).toHaveLength(40);
    for (const [i, wait] of pauses.slice(1).entries()) expect(wait).toBeGreaterThan(0.9 * pauses[i]!);
    expect(pauses.at(-1)).toBeGreaterThan(9_000);
    expect(await problems()).toEqual([]);
    isMended = true;
    await tryOn(job, { run });
    expect(await steps()).toEqual(upTo(120));
  });
});
