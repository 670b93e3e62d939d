import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { createTestBucket, describeWith, type TestBucket } from '#testing';
import { blobKey } from './object-keys.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import type { S3Options } from './s3-options.ts';
import { S3Presigner } from './s3-presign.ts';
import { blobStoreContract, signedAt } from './testing/index.ts';

const silent = (): void => undefined;

describeWith(['s3'], 'an S3 bucket as blob store', () => {
  for (const checksums of ['when-supported', 'when-required'] as const) {
    blobStoreContract(`S3BlobStore, checksums ${checksums}`, async () => {
      const bucket = await createTestBucket();
      const blobs = await S3BlobStore.open({ ...bucket.options, checksums }, silent);
      return {
        blobs,
        remove: async () => {
          blobs.close();
          await bucket.drop();
        },
      };
    });
  }
});

describeWith(['s3'], 'objects in S3', () => {
  let bucket: TestBucket;
  let blobs: S3BlobStore;
  const tenant = tenantIdOf(randomUUID());
  beforeAll(async () => {
    bucket = await createTestBucket();
    blobs = await S3BlobStore.open(bucket.options, silent);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    blobs.close();
    await bucket.drop();
  });

  it('cause no warning from a complete server', async () => {
    const warnings: string[] = [];
    (await S3BlobStore.open(bucket.options, (line) => warnings.push(line))).close();
    expect(warnings).toEqual([]);
  });

  it('cannot be read with a wrong key or from a missing bucket: the error names the settings and no secret', async () => {
    const rejectionOf = async (options: Partial<S3Options>): Promise<string> => {
      const opening = S3BlobStore.open({ ...bucket.options, ...options }, silent);
      const error = await opening.catch((rejected: Error) => rejected);
      return error instanceof Error ? error.message : 'it was let in';
    };
    const wrong = await rejectionOf({ secretAccessKey: 'hush-hush' });
    expect(wrong).toMatch(/: 403\. PLOTLINE_S3_ACCESS_KEY_ID or PLOTLINE_S3_SECRET_ACCESS_KEY is wrong/);
    expect(wrong).not.toMatch(/hush-hush|Unknown/);
    expect(await rejectionOf({ bucket: 'no-such-bucket' })).toMatch(/PLOTLINE_S3_BUCKET/);
  });

  it('include no trace of the probe', async () => {
    for await (const object of blobs.list(null, 'probe/')) expect.fail(object.key);
  });

  it('are streamed at any length, and released when the reader stops', async () => {
    const bytes = randomBytes(3_000_000);
    await blobs.put(tenant, 'original/1-3000000', bytes);
    expect((await buffer(await blobs.stream(tenant, 'original/1-3000000'))).equals(bytes)).toBe(true);
    // There are more requests than connections: if a connection were not released, a request would
    // hang.
    for (let i = 0; i < 100; i++) {
      const stream = await blobs.stream(tenant, 'original/1-3000000');
      if (i % 2 === 0) for await (const piece of stream) if (piece) break;
      stream.destroy();
    }
    expect(await blobs.has(tenant, 'original/1-3000000')).toBe(3_000_000);
  });

  it('are listed over several pages', async () => {
    const many = tenantIdOf(randomUUID());
    const keys = Array.from({ length: 1_100 }, (_, i) => `original/${i}-1`);
    const left = [...keys];
    const put = async (): Promise<void> => {
      for (let key = left.pop(); key; key = left.pop()) await blobs.put(many, key, Buffer.from('x'));
    };
    await Promise.all(Array.from({ length: 16 }, put));
    const listed = new Set<string>();
    for await (const { key } of blobs.list(many, '')) listed.add(key);
    expect(listed).toEqual(new Set(keys));
  });

  it('have presigned addresses for one object, with an expiry and the requested headers', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
    const key = blobKey(createHash('sha256').update(png).digest());
    await blobs.put(tenant, key, png);
    const asked = { expiresInSeconds: 900, contentType: 'image/png', disposition: 'inline' };
    const address = await blobs.presign(tenant, key, asked);
    const response = await fetch(address);
    expect(await response.bytes()).toEqual(new Uint8Array(png));
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual(['image/png', 'inline']);
    expect((await fetch(address, { headers: { range: 'bytes=1-3' } })).status).toBe(206);

    const status = async (change: (url: URL) => void): Promise<number> => {
      const url = new URL(address);
      change(url);
      const { status: got, body } = await fetch(url);
      await body?.cancel();
      return got;
    };
    // Another tenant's object gives the same result as a missing object.
    const other = tenantIdOf(randomUUID());
    await blobs.put(other, key, png);
    expect(await status((url) => void (url.pathname = url.pathname.replace(tenant, other)))).toBe(403);
    expect(await status((url) => void (url.pathname = url.pathname.replace(tenant, randomUUID())))).toBe(403);
    expect(await status((url) => url.searchParams.set('response-content-type', 'text/html'))).toBe(403);
    expect(await status((url) => url.searchParams.set('X-Amz-Expires', '86400'))).toBe(403);
    const expired = new S3Presigner(bucket.options).sign(`${tenant}/${key}`, asked, Date.now() - 3_600_000, bucket.options);
    expect((await fetch(expired)).status).toBe(403);
  });

  /* Reliability test 65. */
  const whateverDay = async (look: (jump: string) => Promise<void>): Promise<void> => {
    for (const [jump, days] of [
      ['ahead', 1],
      ['back', 0],
      ['behind', -1],
      ['back again', 0],
    ] as const) {
      vi.useRealTimers();
      if (days !== 0) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
      await look(jump);
    }
  };

  it("are readable right after this process's clock jumped", async () => {
    await blobs.put(tenant, 'original/9-3', Buffer.from('abc'));
    await whateverDay(async (jump) => expect([jump, await blobs.has(tenant, 'original/9-3')]).toEqual([jump, 3]));
  });

  it("have addresses that work right after this process's clock jumped", async () => {
    await blobs.put(tenant, 'original/10-3', Buffer.from('abc'));
    const asked = { expiresInSeconds: 900, contentType: 'image/png', disposition: 'inline' };
    await whateverDay(async (jump) => {
      const addresses = await Promise.all([1, 2, 3].map(() => blobs.presign(tenant, 'original/10-3', asked)));
      for (const address of addresses) expect([jump, await (await fetch(address)).text()]).toEqual([jump, 'abc']);
      // Signed with the current time: stricter stores reject signatures dated in the future.
      expect([jump, Math.abs(signedAt(addresses[0]!) - (await blobs.now()).getTime()) < 600_000]).toEqual([jump, true]);
    });
  });
});
