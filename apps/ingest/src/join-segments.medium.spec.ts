import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { MemoryBlobStore } from '#blobs/testing';
import { findDeletion, requestDeletion } from '#experiments';
import type { ExperimentId, FileId } from '#model';
import { hasSegmentsToJoin, joinOriginal, joinSegments, prefixCrc32c, readFileRange } from '#originals';
import { crc32c } from '#records';
import { lockFiles, Store } from '#store';
import { armFailpoints } from '#telemetry';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { collectOrphans } from './deletion/collect-orphans.ts';
import { workOnDeletion } from './deletion/work-on-deletion.ts';
import { checkUsage } from './testing/check-usage.ts';
import { DeletionWorld, recordsOf, type TestTenant } from './testing/deletion-world.ts';

const noGrace = -1;
const now = { minAgeMs: 0 };

describeWith(['postgres'], 'joining segments of a file that grows', () => {
  let database: TestDatabase;
  let store: Store;
  let blobs: MemoryBlobStore;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;
  let fileId: FileId;
  let file: Buffer;

  beforeEach(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    blobs = new MemoryBlobStore();
    world = new DeletionWorld(store, blobs);
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
    fileId = await world.open(tenant, experimentId, 'run', 'events.out.tfevents.1');
    file = Buffer.alloc(0);
  });
  afterEach(async () => {
    armFailpoints(undefined);
    await store?.close();
    await database?.drop();
  });

  const place = () => ({ tenantId: tenant.tenantId, fileId });
  const join = (bounds: Parameters<typeof joinSegments>[3] = now) => joinSegments(store, blobs, place(), bounds);

  /** Appends records one by one, like a live run: points of two tags, and random text. */
  async function grow(steps: number, { ingest = true, textBytes = 0 } = {}): Promise<void> {
    const first = file.length;
    for (let i = 0; i < steps; i++) {
      const step = BigInt(first + i);
      const text = createHash('shake256', { outputLength: textBytes / 2 + 1 })
        .update(`${first} ${i}`)
        .digest('hex');
      const bytes = recordsOf(
        [
          {
            step,
            values: [{ tag: 'loss', scalar: i }, { tag: 'secret', scalar: 7_777 + i }, ...(textBytes > 0 ? [{ tag: 'text', text }] : [])],
          },
        ],
        file.length === 0,
      );
      expect(await world.append(tenant, experimentId, fileId, file.length, bytes)).toMatchObject({ kind: 'acknowledged' });
      file = Buffer.concat([file, bytes]);
    }
    if (ingest) await world.ingest(tenant);
  }

  async function read(start = 0, end = file.length): Promise<Buffer> {
    const inTenant = <T>(work: Parameters<typeof store.withTenant<T>>[1]) => store.withTenant(tenant.tenantId, work);
    const pieces: Buffer[] = [];
    for await (const piece of readFileRange({ inTenant, blobs, ...place() }, { start, end })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  const segments = () =>
    store.withTenant(tenant.tenantId, async ({ trx }) => {
      const rows = await trx
        .selectFrom('segment')
        .select(['offset', 'length', 'object_key', 'epoch'])
        .where('tenant_id', '=', tenant.tenantId)
        .where('file_id', '=', fileId)
        .execute();
      return rows
        .map((row) => ({ offset: Number(row.offset), length: row.length, objectKey: row.object_key, epoch: Number(row.epoch) }))
        .sort((a, b) => a.offset - b.offset);
    });

  /**
   * Expects the same bytes, ranges and checksums as without joining, and no missing or superfluous
   * objects.
   */
  async function expectWhole(): Promise<void> {
    expect((await read()).equals(file)).toBe(true);
    const rows = await segments();
    expect(rows.reduce((end, { offset, length }) => (offset === end ? end + length : NaN), 0)).toBe(file.length);
    for (const at of [1, 1_000, Math.floor(file.length / 2), file.length - 1]) {
      expect((await read(at - 1, at)).equals(file.subarray(at - 1, at))).toBe(true);
      const crc = await store.withTenant(tenant.tenantId, (scope) => prefixCrc32c({ scope, blobs, fileId }, at));
      expect(crc).toBe(crc32c(0, file.subarray(0, at)));
    }
    await collectOrphans(store, blobs, noGrace);
    const wanted = rows.flatMap(({ objectKey }) => objectKey ?? []).toSorted();
    expect(await world.objects(tenant)).toEqual(wanted);
    await checkUsage(store, tenant.tenantId);
  }

  it('replaces several rows with one, repeatedly, and changes nothing that a reader can see', async () => {
    const isDue = (bounds: Parameters<typeof hasSegmentsToJoin>[2] = now) => hasSegmentsToJoin(store, place(), bounds);
    await grow(100);
    expect(await isDue()).toBe(false);
    await grow(200);
    expect([await isDue(), await isDue({ minAgeMs: 60_000 }), await isDue({ ...now, segmentsAtOnce: 50 })]).toEqual([true, false, true]);
    const before = await world.logical(tenant, experimentId);
    expect(await join()).toEqual({ replaced: 300, by: 1 });
    expect(await segments()).toEqual([{ offset: 0, length: file.length, objectKey: null, epoch: 300 }]);
    await expectWhole();
    expect(await isDue()).toBe(false);
    expect(await world.logical(tenant, experimentId)).toEqual(before);
    expect(await join()).toEqual({ replaced: 0, by: 0 });
    for (let round = 0; round < 3; round++) {
      await grow(150, { textBytes: 2_000 });
      await join();
      await expectWhole();
      expect((await segments()).length).toBeLessThan(5);
    }
    expect((await segments()).some(({ objectKey }) => objectKey !== null)).toBe(true);
    await world.complete(tenant, fileId, file.length);
    expect(await joinOriginal(store, blobs, tenant.tenantId, fileId)).toBe('joined');
    expect((await read()).equals(file)).toBe(true);
    await collectOrphans(store, blobs, noGrace);
    expect(await world.objects(tenant)).toEqual([expect.stringMatching(`^original/${fileId}-${file.length}-`)]);
  });

  it('joins page by page what piled up before', async () => {
    await grow(700);
    expect(await join({ ...now, segmentsAtOnce: 250 })).toEqual({ replaced: 700, by: 3 });
    await expectWhole();
  });

  it('leaves what is pending, recent, or not yet read as records', async () => {
    await grow(200);
    const settled = file.length;
    await grow(200, { ingest: false });
    expect(await join({ minAgeMs: 3_600_000 })).toEqual({ replaced: 0, by: 0 });
    expect(await join()).toEqual({ replaced: 200, by: 1 });
    expect((await segments()).slice(0, 2)).toMatchObject([{ offset: 0, length: settled }, { offset: settled }]);
    await world.ingest(tenant);
    // The start of a record is settled, but is read again when its end arrives.
    const record = Buffer.from(recordsOf([{ step: 999_999n, values: [{ tag: 'loss', scalar: 1 }] }], false));
    await world.append(tenant, experimentId, fileId, file.length, record.subarray(0, 20));
    const cut = file.length;
    file = Buffer.concat([file, record.subarray(0, 20)]);
    await world.ingest(tenant);
    expect(await join()).toEqual({ replaced: 201, by: 1 });
    expect((await segments()).map(({ offset }) => offset)).toEqual([0, cut]);
    await world.append(tenant, experimentId, fileId, file.length, record.subarray(20));
    file = Buffer.concat([file, record.subarray(20)]);
    await world.ingest(tenant);
    await expectWhole();
    const progress = await store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('file_progress').select(['records', 'parsed_offset']).where('file_id', '=', fileId).executeTakeFirstOrThrow(),
    );
    expect(progress).toEqual({ records: '402', parsed_offset: String(file.length) });
  });

  it('recognizes a range that is sent again, and other bytes in its place', async () => {
    await grow(300);
    const [, , third, fourth] = await segments();
    await join();
    const again = (bytes: Uint8Array) => world.append(tenant, experimentId, fileId, third!.offset, bytes);
    const range = file.subarray(third!.offset, fourth!.offset);
    // The sender's bytes are then compared with the stored bytes.
    expect(await again(range)).toMatchObject({ kind: 'in-original', durableOffset: file.length });
    expect(await again(Buffer.concat([file.subarray(third!.offset), Buffer.from('more')]))).toMatchObject({ kind: 'conflict' });
    await expectWhole();
  });

  it('happens once for several requests at once, next to appends, ingest and readers', async () => {
    await grow(400, { textBytes: 600 });
    const seen: Promise<Buffer>[] = [];
    const whole = file;
    const growing = grow(60).then(() => 'grown');
    const joins = Promise.all(Array.from({ length: 4 }, () => join()));
    for (let i = 0; i < 20; i++) seen.push(read(0, whole.length));
    for (const bytes of await Promise.all(seen)) expect(bytes.equals(whole)).toBe(true);
    await growing;
    expect((await joins).reduce((sum, { replaced }) => sum + replaced, 0)).toBeGreaterThanOrEqual(400);
    await expectWhole();
  });

  it.each(['after-original-put', 'after-original-commit'])('loses and doubles nothing if it ends %s', async (point) => {
    await grow(400, { textBytes: 600 });
    const rows = await segments();
    armFailpoints(`${point}=throw:1`, () => undefined);
    await expect(join()).rejects.toThrow('A test injected a fault');
    armFailpoints(undefined);
    expect((await segments()).length).toBe(point === 'after-original-put' ? rows.length : 1);
    expect((await read()).equals(file)).toBe(true);
    await join();
    await expectWhole();
    expect(await segments()).toHaveLength(1);
  });

  it('writes nothing if the object does not read back the same', async () => {
    await grow(400, { textBytes: 600 });
    const rows = await segments();
    const put = blobs.put.bind(blobs);
    blobs.put = async (tenantId, key, ...rest) => {
      await put(tenantId, key, ...rest);
      blobs.objects.get(`${tenantId}/${key}`)![5_000]! ^= 1;
    };
    await expect(join()).rejects.toThrow(/damaged|match/);
    blobs.put = put;
    expect(await segments()).toEqual(rows);
    await expectWhole();
  });

  it('leaves lost bytes in place, and joins the others', async () => {
    await grow(150, { textBytes: 90_000 }); // too large for rows
    await grow(400);
    const rows = await segments();
    await blobs.delete(tenant.tenantId, rows[100]!.objectKey!);
    await join();
    const left = await segments();
    expect(left.find(({ offset }) => offset === rows[100]!.offset)).toEqual(rows[100]);
    expect(left.length).toBeLessThan(150);
    await expect(read()).rejects.toThrow(/missing/);
    expect((await read(rows[150]!.offset)).equals(file.subarray(rows[150]!.offset))).toBe(true);
  });

  it('never brings deleted values back, whichever comes first', async () => {
    for (const order of ['join first', 'together', 'deletion first'] as const) {
      await grow(300);
      const caller = ownerOf(tenant);
      if (order === 'join first') await join();
      const { deletionId } = await store.withTenant(tenant.tenantId, (scope) =>
        requestDeletion(scope, caller, experimentId, { tags: ['secret'] }),
      );
      const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
      const work = () => workOnDeletion(store, blobs, { tenantId: tenant.tenantId, deletionId }, bounds);
      await Promise.all([work(), ...(order === 'together' ? [join(), join()] : [])]);
      await work();
      expect(await store.withTenant(tenant.tenantId, (scope) => findDeletion(scope, deletionId))).toMatchObject({
        finishedAt: expect.any(Date),
      });
      await join();
      const bytes = await read();
      expect(bytes.length).toBe(file.length);
      expect(bytes.includes('secret')).toBe(false);
      await collectOrphans(store, blobs, noGrace);
      const left = await world.objects(tenant);
      expect(left).toEqual([expect.stringMatching(`^original/${fileId}-`)]);
    }
  });

  it('waits for the file, and stops if the run is deleted meanwhile', async () => {
    await grow(300);
    const { promise, resolve } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const other = store.withTenant(tenant.tenantId, async (scope) => {
      await lockFiles(scope, [fileId]);
      await scope.trx
        .updateTable('run')
        .set({ deleted_at: new Date() })
        .where('tenant_id', '=', tenant.tenantId)
        .where('experiment_id', '=', experimentId)
        .execute();
      locked.resolve();
      await promise;
    });
    await locked.promise;
    const joined = join();
    resolve();
    await other;
    expect(await joined).toEqual({ replaced: 0, by: 0 });
    expect(await segments()).toHaveLength(300);
  });
});
