import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { describeWith, type PrivateS3, startS3, type TestBucket } from '#testing';
import { openBlobStore } from './open-blob-store.ts';
import type { S3Options } from './s3-options.ts';

/*
 * The AWS SDK's default chain, with the endpoint that Pod Identity and container roles give to a
 * process (AWS_CONTAINER_CREDENTIALS_FULL_URI). Here, the endpoint is this test's server, which
 * returns keys of a real S3 server.
 */
describeWith(['s3'], 'the default credential chain of the AWS SDK', () => {
  let s3: PrivateS3;
  let bucket: TestBucket;
  let agent: Server;
  const authorization = randomBytes(16).toString('hex');
  const asked: (string | undefined)[] = [];
  let keyOf: () => { AccessKeyId: string; SecretAccessKey: string } | null;
  const tenant = tenantIdOf(randomUUID());

  beforeAll(async () => {
    s3 = await startS3();
    bucket = await s3.createBucket();
    agent = createServer((request, response) => {
      asked.push(request.headers.authorization);
      const key = keyOf();
      response.writeHead(key === null ? 404 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ ...key, Token: '', Expiration: new Date(Date.now() + 3_600_000).toISOString() }));
    });
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    agent?.close();
    await s3?.stop();
  });
  afterEach(() => {
    for (const name of Object.keys(process.env).filter((known) => known.startsWith('AWS_'))) delete process.env[name];
  });

  function identify(): void {
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/key`;
    process.env['AWS_CONTAINER_AUTHORIZATION_TOKEN'] = authorization;
  }

  const options = (): { readonly kind: 's3' } & S3Options => {
    const { endpoint, region, bucket: name, checksums } = bucket.options;
    return { kind: 's3', endpoint, region, bucket: name, checksums, credentials: 'environment' };
  };

  it('gives the key of the role, for requests and for links', async () => {
    keyOf = () => ({ AccessKeyId: s3.accessKeyId, SecretAccessKey: s3.secretAccessKey });
    identify();
    const store = await openBlobStore(options());
    await store.put(tenant, 'original/1-3', Buffer.from('abc'));
    expect((await store.get(tenant, 'original/1-3')).toString()).toBe('abc');
    const link = await store.presign(tenant, 'original/1-3', { expiresInSeconds: 60, contentType: 'text/plain', disposition: 'inline' });
    expect(await (await fetch(link!)).text()).toBe('abc');
    expect(asked).toEqual([authorization]); // once: it is kept until shortly before it expires
  });

  it('is not used unless requested', async () => {
    keyOf = () => ({ AccessKeyId: s3.accessKeyId, SecretAccessKey: s3.secretAccessKey });
    identify();
    const before = asked.length;
    const wrong = openBlobStore({ ...bucket.options, secretAccessKey: 'wrong', limits: { attempts: 1 } });
    await expect(wrong).rejects.toThrow(/SignatureDoesNotMatch|403/);
    expect(asked.length).toBe(before);
  });

  it('says that it has no key', async () => {
    keyOf = () => null;
    identify();
    await expect(openBlobStore({ ...options(), limits: { attempts: 1 } })).rejects.toThrow(/Could not load credentials from any providers/);
  });
});
