import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { BlobDamaged } from './blob-store.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { FakeS3, type S3Lacks } from './testing/fake-s3.ts';

/** How we use stores that deviate from S3. */
describe('the probe of an S3 store', () => {
  let fake: FakeS3;
  let warnings: string[];
  const tenant = tenantIdOf(randomUUID());
  const key = 'original/1-3';
  beforeEach(async () => {
    fake = await FakeS3.start();
    warnings = [];
  });
  afterEach(() => fake.stop());

  const open = async (
    lacks: S3Lacks,
    checksums: 'when-supported' | 'when-required' = 'when-supported',
    endpoint = fake.endpoint,
  ): Promise<S3BlobStore> => {
    fake.lacks = lacks;
    const credentials = { accessKeyId: 'a', secretAccessKey: 's', region: 'us-east-1', bucket: 'plotline' };
    const limits = { attempts: 2, totalMs: 3_000 };
    const store = await S3BlobStore.open({ ...credentials, endpoint, checksums, limits }, (line) => warnings.push(line));
    fake.asked.length = 0;
    return store;
  };

  it('accepts a complete store, and leaves nothing in it', async () => {
    const blobs = await open({});
    expect(warnings).toEqual([]);
    expect(fake.objects.size).toBe(0);
    await blobs.put(tenant, key, Buffer.from('abc'));
    expect(fake.asked).toEqual([`PUT ${tenant}/${key}`]);
    blobs.close();
  });

  it.each(['ignored', 'refused'] as const)('looks before it writes where conditions are %s', async (how) => {
    const blobs = await open({ conditionalPuts: how });
    expect(warnings).toEqual([expect.stringContaining('If-None-Match')]);
    await blobs.put(tenant, key, Buffer.from('abc'));
    await blobs.put(tenant, key, Buffer.from('abc'));
    expect(fake.asked.map((line) => line.split(' ')[0])).toEqual(['GET', 'PUT', 'GET']);
    expect((await blobs.get(tenant, key)).toString()).toBe('abc');
    blobs.close();
  });

  it('reads back what it wrote where checksums are ignored', async () => {
    const blobs = await open({ checksums: 'ignored' });
    expect(warnings).toEqual([expect.stringContaining('checksums')]);
    await blobs.put(tenant, key, Buffer.from('abc'));
    expect(fake.asked.map((line) => line.split(' ')[0])).toEqual(['PUT', 'GET']);
    fake.lacks = { checksums: 'ignored', bytes: true };
    await expect(blobs.put(tenant, 'original/2-3', Buffer.from('abc'))).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(blobs.get(tenant, 'original/2-3')).rejects.toThrow(BlobDamaged);
    blobs.close();
  });

  it('ignores the settings of AWS: they are for other services', async () => {
    for (const name of ['AWS_USE_FIPS_ENDPOINT', 'AWS_DEFAULTS_MODE', 'AWS_S3_USE_ARN_REGION', 'AWS_REQUEST_CHECKSUM_CALCULATION'])
      vi.stubEnv(name, 'nonsense');
    const blobs = await open({}).finally(() => vi.unstubAllEnvs());
    await blobs.put(tenant, key, Buffer.from('abc'));
    expect((await blobs.get(tenant, key)).toString()).toBe('abc');
    blobs.close();
  });

  it('signs bodies only where the store requires it', async () => {
    const blobs = await open({ unsignedBodies: true });
    expect(warnings).toEqual([expect.stringContaining('requires signed bodies')]);
    await blobs.put(tenant, key, [Buffer.from('abc'), Buffer.alloc(0), Buffer.from('def')]);
    expect((await blobs.get(tenant, key)).toString()).toBe('abcdef');
    blobs.close();
  });

  it('signs bodies for a store that was full during the probe, because it may require it', async () => {
    const blobs = await open({ unsignedBodies: true, room: true });
    expect(warnings).toEqual([expect.stringContaining('is full'), expect.stringContaining('requires signed bodies')]);
    fake.lacks = { unsignedBodies: true };
    await blobs.put(tenant, key, [Buffer.from('abc'), Buffer.from('def')]);
    expect((await blobs.get(tenant, key)).toString()).toBe('abcdef');
    blobs.close();
  });

  it('does not blame the store for a body that was changed in transit', async () => {
    fake.damages = 1;
    const blobs = await open({});
    expect(warnings).toEqual([]);
    blobs.close();
  });

  it('uses MD5 where checksum headers are rejected and the settings allow it', async () => {
    await expect(open({ checksums: 'refused' })).rejects.toThrow(/PLOTLINE_S3_CHECKSUMS=when-required/);
    const blobs = await open({ checksums: 'refused' }, 'when-required');
    await blobs.put(tenant, key, Buffer.from('abc'));
    expect((await blobs.get(tenant, key)).toString()).toBe('abc');
    blobs.close();
  });

  it.each([
    [{ ranges: true }, /does not read ranges/],
    [{ listing: true }, /does not list/],
    [{ metadata: true }, /does not keep an object's metadata/],
    [{ bucket: true }, /cannot use the bucket plotline .*: 404 NotFound\. The bucket of PLOTLINE_S3_BUCKET does not exist/],
  ] as const)('rejects a store that lacks %j, and says so', async (lacks, reason) => {
    await expect(open(lacks)).rejects.toThrow(reason);
    expect(fake.objects.size).toBe(0);
  });

  it('accepts a full store, since its objects are readable', async () => {
    const empty = await open({});
    await empty.put(tenant, key, Buffer.from('abc'));
    empty.close();
    const blobs = await open({ room: true });
    expect(warnings).toEqual([expect.stringContaining('full'), expect.stringContaining('signed bodies')]);
    expect((await blobs.get(tenant, key)).toString()).toBe('abc');
    await expect(blobs.put(tenant, 'original/2-3', Buffer.from('abc'))).rejects.toMatchObject({ code: 'insufficient-storage' });
    fake.lacks = {};
    await blobs.put(tenant, 'original/2-3', Buffer.from('abc'));
    expect((await blobs.get(tenant, 'original/2-3')).toString()).toBe('abc');
    blobs.close();
  });

  it('reports that nothing answers', async () => {
    const { endpoint } = fake;
    await fake.stop();
    await expect(open({}, 'when-supported', endpoint)).rejects.toThrow(
      /ECONNREFUSED.* Does an S3 service answer at PLOTLINE_S3_ENDPOINT\?$/,
    );
    fake = await FakeS3.start();
  });

  it('names the endpoint if something other than an S3 service answers', async () => {
    const other = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await expect(open({}, 'when-supported', endpoint)).rejects.toThrow(/Does an S3 service answer at PLOTLINE_S3_ENDPOINT\?$/);
    await new Promise((resolve) => other.close(resolve));
  });
});
