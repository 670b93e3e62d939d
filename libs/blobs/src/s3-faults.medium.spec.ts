import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { createTestBucket, describeWith, type TestBucket } from '#testing';
import { BlobDamaged, type BlobStore } from './blob-store.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { type S3Fault, S3FaultProxy } from './testing/s3-fault-proxy.ts';

const MiB = 1024 * 1024;
const silent = (): void => undefined;
const unavailable = { name: 'Problem', code: 'store-unavailable' };
const attempts = 4;

describeWith(['s3'], 'S3BlobStore over a bad connection (reliability test 63)', () => {
  let bucket: TestBucket;
  let proxy: S3FaultProxy;
  /** Bypasses the proxy to read the actual content. */
  let direct: S3BlobStore;
  let blobs: S3BlobStore;
  const tenant = tenantIdOf(randomUUID());
  const bytes = randomBytes(100_000);
  let key: string;
  let keys = 0;

  beforeAll(async () => {
    bucket = await createTestBucket();
    direct = await S3BlobStore.open(bucket.options, silent);
  });
  beforeEach(async () => {
    key = `original/${++keys}-100000`;
    proxy = await S3FaultProxy.start(bucket.options.endpoint);
    blobs = await open();
    proxy.asked.length = 0;
  });
  afterEach(async () => {
    blobs.close();
    await proxy.stop();
  });
  afterAll(async () => {
    direct.close();
    await bucket.drop();
  });

  const open = (limits: object = {}) =>
    S3BlobStore.open(
      { ...bucket.options, endpoint: proxy.endpoint, limits: { attempts, attemptMs: 20_000, totalMs: 40_000, ...limits } },
      silent,
    );

  const gone: S3Fault[] = [
    { response: 500, code: 'InternalError' },
    { response: 503, code: 'SlowDown' },
    { reset: 'before' },
    { reset: 'after' },
  ];

  it.each(gone)('retries every operation after two of %j', async (fault) => {
    const twice = (what: string) => proxy.failFirst(2, what, fault);
    twice('PUT');
    await blobs.put(tenant, key, bytes);
    expect(await direct.get(tenant, key)).toEqual(bytes);
    twice('GET');
    expect(await blobs.get(tenant, key)).toEqual(bytes);
    twice('GET');
    expect(await buffer(await blobs.stream(tenant, key))).toEqual(bytes);
    twice('HEAD');
    expect(await blobs.has(tenant, key)).toBe(bytes.length);
    twice('list');
    for await (const object of blobs.list(tenant, key)) expect(object.bytes).toBe(bytes.length);
    twice('DELETE');
    await blobs.delete(tenant, key);
    expect(await direct.has(tenant, key)).toBeNull();
  });

  it.each(gone.slice(0, 3))('fails after its attempts when all of them meet %j, and stores nothing', async (fault) => {
    proxy.fault = () => fault;
    await expect(blobs.put(tenant, key, bytes)).rejects.toMatchObject(unavailable);
    expect(proxy.count('PUT')).toBe(attempts);
    expect(await direct.has(tenant, key)).toBeNull();
    await expect(blobs.get(tenant, key)).rejects.toMatchObject(unavailable);
    await expect(blobs.stream(tenant, key)).rejects.toMatchObject(unavailable);
    await expect(blobs.has(tenant, key)).rejects.toMatchObject(unavailable);
    await expect(blobs.delete(tenant, key)).rejects.toMatchObject(unavailable);
  });

  it('times out when the store does not answer', async () => {
    const hasty = await open({ attemptMs: 200, totalMs: 900 });
    proxy.asked.length = 0;
    await direct.put(tenant, key, bytes);
    proxy.fault = () => ({ hang: true });
    const calls: ((store: BlobStore) => Promise<unknown>)[] = [
      (store) => store.put(tenant, `original/${keys}-1`, Buffer.from('x')),
      (store) => store.get(tenant, key, { start: 0, end: 10 }),
      (store) => store.stream(tenant, key),
      (store) => store.has(tenant, key),
    ];
    for (const call of calls) await expect(call(hasty)).rejects.toMatchObject(unavailable);
    expect(proxy.asked.length).toBeLessThanOrEqual(calls.length * attempts);
    hasty.close();
  });

  it('does not store a body that was changed in transit', async () => {
    proxy.failFirst(2, 'PUT', { flip: 'request' });
    await blobs.put(tenant, key, bytes);
    expect(await direct.get(tenant, key)).toEqual(bytes);
    await direct.delete(tenant, key);

    proxy.fault = ({ what }) => (what === 'PUT' ? { flip: 'request' } : null);
    await expect(blobs.put(tenant, key, bytes)).rejects.toMatchObject(unavailable);
    expect(await direct.has(tenant, key)).toBeNull();
  });

  it('detects a truncated response, and reads again', async () => {
    await direct.put(tenant, key, bytes);
    proxy.failFirst(2, 'GET', { truncate: 70_000 });
    expect(await blobs.get(tenant, key)).toEqual(bytes);
    proxy.asked.length = 0;
    proxy.failFirst(3, 'GET', { truncate: 30_000 });
    expect(await buffer(await blobs.stream(tenant, key))).toEqual(bytes);
    // Each read continues where the previous one was cut, so three cuts of 30,000 leave 10,000 for
    // the fourth.
    expect(proxy.asked.filter(({ what }) => what === 'GET').map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=30000-99999',
      'bytes=60000-99999',
      'bytes=90000-99999',
    ]);
    proxy.fault = ({ what }) => (what === 'GET' ? { truncate: 0 } : null);
    await expect(blobs.get(tenant, key)).rejects.toMatchObject(unavailable);
    await expect(blobs.stream(tenant, key).then(buffer)).rejects.toMatchObject(unavailable);
  });

  it('detects a response that was changed in transit, and reads again', async () => {
    await direct.put(tenant, key, bytes);
    proxy.failFirst(2, 'GET', { flip: 'response' });
    expect(await blobs.get(tenant, key)).toEqual(bytes);
    proxy.fault = ({ what }) => (what === 'GET' ? { flip: 'response' } : null);
    await expect(blobs.get(tenant, key)).rejects.toThrow(BlobDamaged);
    await expect(blobs.stream(tenant, key).then(buffer)).rejects.toThrow(BlobDamaged);
  });

  it('compares with an existing object, and replaces it only if it differs', async () => {
    await direct.put(tenant, key, bytes);
    await blobs.put(tenant, key, bytes);
    expect([proxy.count('PUT'), proxy.count('GET')]).toEqual([1, 1]);
    const other = randomBytes(100_000);
    await blobs.put(tenant, key, other);
    expect(await direct.get(tenant, key)).toEqual(other);
  });

  it('waits for another writer of the same object', async () => {
    proxy.failFirst(2, 'PUT', { response: 409, code: 'ConditionalRequestConflict' });
    await blobs.put(tenant, key, bytes);
    expect(await direct.get(tenant, key)).toEqual(bytes);
  });

  const large = randomBytes(17 * MiB);
  async function* inPieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < large.length; at += MiB) yield large.subarray(at, at + MiB);
  }

  it('writes objects larger than a part in parts', async () => {
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect([proxy.count('begin'), proxy.count('part'), proxy.count('join'), proxy.count('drop')]).toEqual([1, 3, 1, 0]);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('restarts a large upload when another writer interferes', async () => {
    proxy.failFirst(2, 'join', { response: 409, code: 'ConditionalRequestConflict' });
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect([proxy.count('begin'), proxy.count('part'), proxy.count('join'), proxy.count('drop')]).toEqual([3, 9, 3, 2]);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('fails if each attempt of a large upload meets another writer', async () => {
    proxy.fault = ({ what }) => (what === 'join' ? { response: 409, code: 'ConditionalRequestConflict' } : null);
    await expect(blobs.putStream(tenant, key, inPieces)).rejects.toMatchObject(unavailable);
    expect(proxy.count('drop')).toBe(proxy.count('begin'));
    expect(await direct.has(tenant, key)).toBeNull();
  });

  it('restarts an upload that the store has forgotten', async () => {
    proxy.failFirst(1, 'part', { response: 404, code: 'NoSuchUpload' });
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect(proxy.count('begin')).toBe(2);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('recognizes its own large object when the response was lost', async () => {
    proxy.failFirst(1, 'join', { reset: 'after' });
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect(proxy.count('begin')).toBe(1);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('compares with an existing large object, and replaces it only if it differs', async () => {
    await direct.putStream(tenant, key, inPieces);
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect([proxy.count('join'), proxy.count('GET'), proxy.count('drop')]).toEqual([1, 1, 1]);
    await direct.delete(tenant, key);
    await direct.put(tenant, key, bytes);
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('does not store a part that was changed in transit', async () => {
    proxy.failFirst(2, 'part', { flip: 'request' });
    expect(await blobs.putStream(tenant, key, inPieces)).toBe(large.length);
    expect((await direct.get(tenant, key)).equals(large)).toBe(true);
  });

  it('removes the parts of a stream that fails', async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield large;
      throw new Error('cut');
    };
    await expect(blobs.putStream(tenant, key, failing)).rejects.toThrow('cut');
    expect([proxy.count('begin'), proxy.count('drop')]).toEqual([1, 1]);
    expect(await direct.has(tenant, key)).toBeNull();
  });

  it('warns when the parts cannot be removed, and throws the error of the stream', async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield large;
      throw new Error('cut');
    };
    proxy.fault = ({ what }) => (what === 'drop' ? { response: 500, code: 'InternalError' } : null);
    const warnings: string[] = [];
    const warning = await S3BlobStore.open({ ...bucket.options, endpoint: proxy.endpoint }, (line) => warnings.push(line));
    try {
      await expect(warning.putStream(tenant, key, failing)).rejects.toThrow('cut');
    } finally {
      warning.close();
    }
    expect(warnings).toEqual([expect.stringContaining('InternalError')]);
  });

  it('works without the permission to list unfinished uploads', async () => {
    proxy.fault = ({ query }) => (query.has('uploads') ? { response: 403, code: 'AccessDenied' } : null);
    const warnings: string[] = [];
    const limited = await S3BlobStore.open({ ...bucket.options, endpoint: proxy.endpoint }, (line) => warnings.push(line));
    try {
      expect(warnings).toEqual([expect.stringContaining('403 AccessDenied')]);
      await limited.put(tenant, key, bytes);
      expect(await direct.get(tenant, key)).toEqual(bytes);
    } finally {
      limited.close();
    }
  });
});
