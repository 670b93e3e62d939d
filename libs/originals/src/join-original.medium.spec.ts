import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlobNotFound, originalKey } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import type { FileId, RunId } from '#model';
import { experimentIdOf, fileIdOf, tenantIdOf } from '#model/testing';
import {
  completeFile,
  advanceFiles,
  ensureRun,
  insertExperiment,
  insertFile,
  insertPendingSegments,
  insertPerson,
  insertSegments,
  insertWorkspace,
  Store,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { joinOriginal } from './join-original.ts';
import { prefixCrc32c } from './prefix-crc32c.ts';
import { readFileRange } from './read-file-range.ts';

describeWith(['postgres'], 'joining an original', () => {
  const tenantId = tenantIdOf(randomUUID());
  const experimentId = experimentIdOf('e'.repeat(22));
  let database: TestDatabase;
  let store: Store;
  let blobs: MemoryBlobStore;
  let runId: RunId;
  let files = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    const personId = randomUUID();
    await insertPerson(store.global, personId, 'Ada');
    runId = await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      await insertExperiment(scope, { experimentId, name: '', description: '', ownerId: personId, labels: [] });
      return (await ensureRun(scope, experimentId, '.'))!;
    });
    blobs = new MemoryBlobStore();
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /**
   * A file with segments of these lengths: a third of them inline, a third inline and compressed,
   * and the others as objects.
   */
  async function makeFile(bytes: Buffer, lengths: readonly number[]): Promise<FileId> {
    const fileId = await store.withTenant(
      tenantId,
      async (scope) => (await insertFile(scope, { experimentId, runId, name: `tfevents.${files++}`, version: 1 }))!,
    );
    await append(fileId, bytes, 0, lengths);
    return fileId;
  }

  async function append(fileId: FileId, bytes: Buffer, start: number, lengths: readonly number[]): Promise<void> {
    let offset = start;
    for (const [index, length] of lengths.entries()) {
      const part = bytes.subarray(offset, offset + length);
      const objectKey = index % 3 === 2 ? `segment/${fileId}/${offset}-x` : null;
      if (objectKey) await blobs.put(tenantId, objectKey, part);
      const body = objectKey ? null : index % 3 === 1 ? zstdCompressSync(part) : part;
      const segment = {
        fileId,
        offset,
        length,
        crc32c: crc32c(part),
        epoch: 1,
        body,
        objectKey,
        encoding: index % 3 === 1 ? 1 : 0,
      } as const;
      await store.withTenant(tenantId, (scope) => insertSegments(scope, [segment]));
      offset += length;
    }
    await store.withTenant(tenantId, (scope) =>
      advanceFiles(scope, [{ fileId, durableOffset: offset, crc32c: crc32c(bytes.subarray(0, offset)) }]),
    );
  }

  const complete = (fileId: FileId, bytes: number) => store.withTenant(tenantId, (scope) => completeFile(scope, fileId, bytes));
  const source = (fileId: FileId) => ({
    inTenant: <T>(work: Parameters<typeof store.withTenant<T>>[1]) => store.withTenant(tenantId, work),
    blobs,
    tenantId,
    fileId,
  });

  async function read(fileId: FileId, start: number, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of readFileRange(source(fileId), { start, end })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  const row = (fileId: FileId) =>
    store.withTenant(tenantId, async ({ trx }) => ({
      ...(await trx
        .selectFrom('event_file')
        .select(['original_key', 'sha256', 'completed_bytes'])
        .where('tenant_id', '=', tenantId)
        .where('file_id', '=', fileId)
        .executeTakeFirstOrThrow()),
      segments: (await trx.selectFrom('segment').select('offset').where('tenant_id', '=', tenantId).where('file_id', '=', fileId).execute())
        .length,
    }));

  const objectsOf = (fileId: FileId) =>
    [...blobs.objects.keys()].filter((key) => key.startsWith(`${tenantId}/original/${fileId}-`) || key.includes(`/${fileId}/`));

  const lengths = Array.from({ length: 300 }, (_, i) => 1 + ((i * 7_919) % 20_000));
  const total = lengths.reduce((a, b) => a + b, 0);

  it('changes nothing that a reader can see, and leaves one object', async () => {
    const bytes = randomBytes(total);
    const fileId = await makeFile(bytes, lengths);
    const ranges = [
      [0, total],
      [1, 2],
      [lengths[0]!, total - 5],
      [1_234_567, 2_345_678],
    ] as const;
    for (const [start, end] of ranges) expect((await read(fileId, start, end)).equals(bytes.subarray(start, end))).toBe(true);
    await complete(fileId, total);
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('joined');
    for (const [start, end] of ranges) expect((await read(fileId, start, end)).equals(bytes.subarray(start, end))).toBe(true);
    expect(await row(fileId)).toMatchObject({
      original_key: expect.stringMatching(new RegExp(`^${originalKey(fileId, total)}-[0-9a-f]{16}$`)),
      segments: 0,
      sha256: createHash('sha256').update(bytes).digest(),
    });
    expect(objectsOf(fileId)).toHaveLength(1);
    for (const length of [0, 1, 1_048_576, 1_048_577, total]) {
      const crc = await store.withTenant(tenantId, (scope) => prefixCrc32c({ scope, blobs, fileId }, length));
      expect(crc, `${length}`).toBe(crc32c(bytes.subarray(0, length)));
    }
  });

  it('happens once for several requests at once', async () => {
    const bytes = randomBytes(total);
    const fileId = await makeFile(bytes, lengths);
    await complete(fileId, total);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => joinOriginal(store, blobs, tenantId, fileId)));
    expect(outcomes.every((outcome) => outcome === 'joined' || outcome === 'nothing-to-do')).toBe(true);
    expect(outcomes).toContain('joined');
    expect((await read(fileId, 0, total)).equals(bytes)).toBe(true);
  });

  it('waits until a worker has read all bytes, and until the file is complete', async () => {
    const bytes = randomBytes(300);
    const fileId = await makeFile(bytes, [100, 100, 100]);
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('not-ready');
    await complete(fileId, 300);
    await store.withTenant(tenantId, (scope) =>
      insertPendingSegments(scope, experimentId, [{ runId, fileId, offset: 100, length: 100 }], 1),
    );
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('not-ready');
    expect(await row(fileId)).toMatchObject({ original_key: null, segments: 3 });
    expect(await joinOriginal(store, blobs, tenantId, fileIdOf('999999'))).toBe('nothing-to-do');
  });

  it('is abandoned if bytes are added meanwhile, and includes them the next time', async () => {
    const bytes = randomBytes(total + 500);
    const fileId = await makeFile(bytes, lengths);
    await complete(fileId, total);
    const putStream = blobs.putStream.bind(blobs);
    blobs.putStream = async (...parameters) => {
      const written = await putStream(...parameters);
      await append(fileId, bytes, total, [500]);
      return written;
    };
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('changed');
    blobs.putStream = putStream;
    expect(objectsOf(fileId).filter((key) => key.includes('original'))).toEqual([]);
    await complete(fileId, total + 500);
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('joined');
    expect((await read(fileId, 0, total + 500)).equals(bytes)).toBe(true);
  });

  it('joins later bytes to an original, and removes the shorter one', async () => {
    const bytes = randomBytes(3_000);
    const fileId = await makeFile(bytes, [1_000]);
    await complete(fileId, 1_000);
    await joinOriginal(store, blobs, tenantId, fileId);
    await append(fileId, bytes, 1_000, [1_000, 1_000]);
    expect((await read(fileId, 500, 2_500)).equals(bytes.subarray(500, 2_500))).toBe(true);
    await complete(fileId, 3_000);
    expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('joined');
    expect((await read(fileId, 0, 3_000)).equals(bytes)).toBe(true);
    expect(objectsOf(fileId)).toEqual([expect.stringContaining(originalKey(fileId, 3_000))]);
  });

  it('does not disturb a reader in progress', async () => {
    const bytes = randomBytes(total);
    const fileId = await makeFile(bytes, lengths);
    await complete(fileId, total);
    const pieces: Buffer[] = [];
    for await (const piece of readFileRange(source(fileId), { start: 0, end: total })) {
      pieces.push(piece);
      if (pieces.length === 10) expect(await joinOriginal(store, blobs, tenantId, fileId)).toBe('joined');
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it('keeps the segments if the written original does not read back the same', async () => {
    const bytes = randomBytes(total);
    const fileId = await makeFile(bytes, lengths);
    await complete(fileId, total);
    const get = blobs.get.bind(blobs);
    blobs.get = async (tenant, key, range) => {
      const got = await get(tenant, key, range);
      if (key.startsWith('original/') && got.length > 5_000) got[4_000]! ^= 1;
      return got;
    };
    await expect(joinOriginal(store, blobs, tenantId, fileId)).rejects.toThrow(/damaged/);
    blobs.get = get;
    expect(await row(fileId)).toMatchObject({ original_key: null, segments: 300 });
    expect((await read(fileId, 0, total)).equals(bytes)).toBe(true);
  });

  it('fails when acknowledged bytes are missing, instead of returning fewer', async () => {
    const bytes = randomBytes(300);
    const fileId = await makeFile(bytes, [100, 100, 100]);
    await blobs.delete(tenantId, `segment/${fileId}/200-x`);
    await expect(read(fileId, 0, 300)).rejects.toMatchObject({ cause: expect.any(BlobNotFound) });
    expect(await read(fileId, 0, 200)).toEqual(bytes.subarray(0, 200));
    await expect(read(fileId, 0, 301)).rejects.toThrow(RangeError);
    await expect(read(fileIdOf('999999'), 0, 1)).rejects.toMatchObject({ code: 'file-not-found' });
  });
});
