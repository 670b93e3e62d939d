import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { crc32c } from '@node-rs/crc32';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileIdOf, tenantIdOf } from '#model/testing';
import { describeWith, type PrivateS3, startS3, type TestBucket } from '#testing';
import { BlobDamaged } from './blob-store.ts';
import { blobKey, segmentKey, tensorKey } from './object-keys.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Calls } from './s3-calls.ts';
import { makeS3Client } from './s3-client.ts';
import { removeAbandonedUploads } from './s3-multipart.ts';
import { defaultS3Limits } from './s3-options.ts';
import { S3FaultProxy } from './testing/s3-fault-proxy.ts';

const silent = (): void => undefined;
const root = join(import.meta.dirname, '../../..');

/** Runs a module in a separate process; `blobs` and `tenant` are available to it. */
function inProcess(options: object, tenant: string, code: string): ChildProcess {
  const prelude = `import { openBlobStore } from '#blobs'; const { options, tenant } = JSON.parse(process.env.TEST_GIVEN); const blobs = await openBlobStore(options);`;
  return spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', `${prelude}\n${code}\nblobs.close();`], {
    cwd: root,
    env: { ...process.env, TEST_GIVEN: JSON.stringify({ options, tenant }) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

describeWith(['s3'], 'objects in S3 after crashes and decay', () => {
  let s3: PrivateS3;
  let bucket: TestBucket;
  let blobs: S3BlobStore;
  const tenant = tenantIdOf(randomUUID());
  beforeAll(async () => {
    s3 = await startS3();
    bucket = await s3.createBucket();
    blobs = await S3BlobStore.open({ ...bucket.options, limits: { totalMs: 4_000 } }, silent);
  });
  afterAll(async () => {
    blobs.close();
    await s3.stop();
  });

  it('are rejected when any of their bits has flipped (reliability test 7)', async () => {
    const positions = 60;
    const bytes = randomBytes(5_000);
    const sha256 = createHash('sha256').update(bytes).digest();
    const range = { fileId: fileIdOf('1'), offset: 0, length: bytes.length, crc32c: crc32c(bytes) };
    const keys = [
      blobKey(sha256),
      tensorKey(sha256),
      segmentKey({ ...range, coding: null }),
      segmentKey({ ...range, coding: 'zstd' }), // its content is not verified here
      'original/1-5000',
    ];
    let noticed = 0;
    for (const key of keys) {
      await blobs.put(tenant, key, bytes);
      const file = join(s3.folder, bucket.options.bucket, tenant, ...key.split('/'));
      for (let i = 0; i < positions; i++) {
        const bit = Math.floor(Math.random() * bytes.length * 8);
        await flip(file, bit);
        await expect(blobs.stream(tenant, key).then(buffer), `${key}, bit ${bit}`).rejects.toThrow(BlobDamaged);
        noticed++;
        await flip(file, bit);
      }
      await flip(file, 4_321);
      await expect(blobs.get(tenant, key)).rejects.toThrow(BlobDamaged);
      await blobs.put(tenant, key, bytes); // is not mistaken for an existing object
      expect(await blobs.get(tenant, key)).toEqual(bytes);
    }
    expect(noticed).toBe(keys.length * positions);
  });

  it('are written once by many processes that write the same bytes', async () => {
    const owner = tenantIdOf(randomUUID());
    const write = `
      const size = (i) => 1_000 + 37 * i;
      for (let i = 0; i < 200; i++) await blobs.put(tenant, \`original/\${i}-1\`, Buffer.alloc(size(i), i));
      await blobs.putStream(tenant, 'original/1000-1', async function* () { for (let i = 0; i < 18; i++) yield Buffer.alloc(1 << 20, i); });`;
    const ends = await Promise.all([1, 2].map(() => once(inProcess(bucket.options, owner, write), 'exit')));
    expect(ends).toEqual([
      [0, null],
      [0, null],
    ]);
    for (let i = 0; i < 200; i++) expect((await blobs.get(owner, `original/${i}-1`)).equals(Buffer.alloc(1_000 + 37 * i, i))).toBe(true);
    const whole = Buffer.concat(Array.from({ length: 18 }, (_, i) => Buffer.alloc(1 << 20, i)));
    expect((await blobs.get(owner, 'original/1000-1')).equals(whole)).toBe(true);
    await expectNoUploads();
  });

  it('do not exist if their writer died between two parts; the parts are removed a day later', async () => {
    const owner = tenantIdOf(randomUUID());
    const proxy = await S3FaultProxy.start(s3.endpoint);
    try {
      const write = `await blobs.putStream(tenant, 'original/1-1', async function* () { for (let i = 0; i < 100; i++) yield Buffer.alloc(1 << 20, i); });`;
      const writer = inProcess({ ...bucket.options, endpoint: proxy.endpoint }, owner, write);
      const partTwo = new Promise<void>((resolve) => {
        proxy.fault = ({ what, query }) => {
          if (what !== 'part' || query.get('partNumber') !== '2') return null;
          resolve();
          return { hang: true };
        };
      });
      await partTwo;
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    } finally {
      await proxy.stop();
    }
    expect(await blobs.has(owner, 'original/1-1')).toBeNull();
    for await (const object of blobs.list(owner, '')) expect.fail(object.key);

    const client = makeS3Client(bucket.options, defaultS3Limits, false);
    const calls = new S3Calls(defaultS3Limits);
    const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.options.bucket }))).Uploads ?? [];
    const foreign = { Bucket: bucket.options.bucket, Key: 'backups/of-somebody-else' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(foreign));
    await removeAbandonedUploads(client, calls, { bucket: bucket.options.bucket, now: new Date() });
    expect(await uploads()).toHaveLength(2); // its writer may still be running
    await removeAbandonedUploads(client, calls, { bucket: bucket.options.bucket, now: new Date(Date.now() + 25 * 3_600_000) });
    expect(await uploads()).toEqual([expect.objectContaining({ Key: foreign.Key })]);
    await client.send(new AbortMultipartUploadCommand({ ...foreign, UploadId }));
    client.destroy();
  });

  it('all exist after the server was killed, and no write succeeds while it is down', async () => {
    const owner = tenantIdOf(randomUUID());
    const written = new Map<string, Buffer>();
    let stop = false;
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; !stop; i++) {
        const key = `original/${writer}${i}-1`;
        const bytes = randomBytes(50_000);
        await blobs.put(owner, key, bytes);
        written.set(key, bytes);
      }
    };
    const writers = Promise.all([1, 2, 3, 4].map(write));
    for (let round = 1; round <= 3; round++) {
      while (written.size < round * 40) await new Promise(setImmediate);
      await s3.kill();
      await s3.start();
    }
    stop = true;
    await writers; // a restart is shorter than the wait
    for (const [key, bytes] of written) expect((await blobs.get(owner, key)).equals(bytes), key).toBe(true);

    await s3.kill();
    await expect(blobs.put(owner, 'original/9-1', Buffer.from('x'))).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(blobs.get(owner, 'original/9-1')).rejects.toMatchObject({ code: 'store-unavailable' });
    await s3.start();
    expect(await blobs.has(owner, 'original/9-1')).toBeNull();
  });

  async function expectNoUploads(): Promise<void> {
    const client = makeS3Client(bucket.options, defaultS3Limits, false);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.options.bucket }));
    client.destroy();
    expect(Uploads).toEqual([]);
  }
});

async function flip(file: string, bit: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  await writeFile(file, bytes);
}
