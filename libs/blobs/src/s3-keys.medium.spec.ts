import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { describeWith, findVersitygw, type PrivateS3, startS3 } from '#testing';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Unsuitable } from './s3-probe.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

describeWith(['s3'], 'the S3 keys of docker-compose.yml', () => {
  let s3: PrivateS3;
  const tenant = tenantIdOf(randomUUID());
  const keys = { writer: ['writer-key', 'writer-secret-1'], reader: ['reader-key', 'reader-secret-1'] } as const;

  /** The steps that the services `accounts` and `bucket` run at each start. */
  async function prepare(readerSecret: string): Promise<void> {
    const { endpoint, accessKeyId, secretAccessKey, region } = s3;
    const [writer, writerSecret] = keys.writer;
    const [reader] = keys.reader;
    await run('sh', [join(root, 'docker/accounts.sh')], {
      env: {
        PATH: [dirname(await findVersitygw()), process.env['PATH']].join(delimiter),
        ADMIN_ENDPOINT_URL: endpoint,
        ADMIN_ACCESS_KEY_ID: accessKeyId,
        ADMIN_SECRET_ACCESS_KEY: secretAccessKey,
        ADMIN_REGION: region,
        WRITER_ACCESS_KEY_ID: writer,
        WRITER_SECRET_ACCESS_KEY: writerSecret,
        READER_ACCESS_KEY_ID: reader,
        READER_SECRET_ACCESS_KEY: readerSecret,
      },
    });
    await run(process.execPath, [join(root, 'docker/bucket-policy.mjs')], {
      env: {
        S3_ENDPOINT: endpoint,
        S3_BUCKET: 'plotline',
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
        S3_WRITER: writer,
        S3_READER: reader,
      },
    });
  }

  beforeAll(async () => {
    s3 = await startS3();
    await prepare(keys.reader[1]);
  }, 60_000);
  afterAll(() => s3?.stop());

  const warnings: string[] = [];
  const open = ([accessKeyId, secretAccessKey]: readonly [string, string], readOnly: boolean): Promise<S3BlobStore> =>
    S3BlobStore.open(
      {
        endpoint: s3.endpoint,
        region: s3.region,
        bucket: 'plotline',
        accessKeyId,
        secretAccessKey,
        checksums: 'when-supported',
        readOnly,
        limits: { attempts: 1 },
      },
      (line) => warnings.push(line),
    );

  it('allow upload and ingest all that they need, and read only to read', async () => {
    const writer = await open(keys.writer, false);
    const reader = await open(keys.reader, true);
    expect(warnings).toEqual([]); // it may also remove unfinished uploads
    await writer.put(tenant, 'original/1-3', Buffer.from('abc'));
    const large = Buffer.alloc(9 * 1024 * 1024, 'x'); // several parts
    await writer.putStream(tenant, 'original/2-9', async function* () {
      yield await Promise.resolve(large);
    });
    expect((await reader.get(tenant, 'original/1-3')).toString()).toBe('abc');
    expect(await reader.has(tenant, 'original/2-9')).toBe(large.length);
    expect(await reader.has(tenant, 'original/3-9')).toBeNull();
    await expect(reader.put(tenant, 'original/4-3', Buffer.from('abc'))).rejects.toThrow(/AccessDenied|403/);
    await expect(reader.delete(tenant, 'original/1-3')).rejects.toThrow(/AccessDenied|403/);
    expect((await writer.get(tenant, 'original/1-3')).toString()).toBe('abc');
    await writer.delete(tenant, 'original/1-3');
    expect(await reader.has(tenant, 'original/1-3')).toBeNull();
    expect(await writer.has(tenant, 'original/4-3')).toBeNull();
    for (const store of [writer, reader]) store.close();
  });

  it('are renewed at the next start, and other keys are rejected', async () => {
    await expect(open(['reader-key', 'wrong'], true)).rejects.toBeInstanceOf(S3Unsuitable);
    await expect(open(keys.reader, false)).rejects.toBeInstanceOf(S3Unsuitable); // a process that writes notices at its start
    await prepare('reader-secret-2');
    await s3.kill(); // removes its known accounts
    await s3.start();
    (await open(['reader-key', 'reader-secret-2'], true)).close();
    await expect(open(keys.reader, true)).rejects.toBeInstanceOf(S3Unsuitable);
  });
});
