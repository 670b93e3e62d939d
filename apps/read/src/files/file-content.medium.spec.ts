import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Global, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { crc32c } from '@node-rs/crc32';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '#auth';
import { BlobStore, segmentKey } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import { createHttpApp, HttpModule, PublicUrl } from '#http';
import type { FileId, TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import {
  advanceFiles,
  ensureRun,
  insertExperiment,
  insertFile,
  insertMember,
  insertPerson,
  insertSegments,
  insertWorkspace,
  Operator,
  Store,
  writeLostRanges,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { FileContentController } from './file-content.controller.ts';

describeWith(['postgres'], 'the content of a file', () => {
  const bytes = randomBytes(3 * 70_000);
  const name = 'events.out.tfevents.1.ü"\\\r\n';
  const blobs = new MemoryBlobStore();
  let database: TestDatabase;
  let store: Store;
  let app: NestExpressApplication;
  let url: string;
  let token: string;
  let strangerToken: string;
  let tenantId: TenantId;
  let fileId: FileId;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    ({ tenantId, token } = await newWorkspace());
    ({ token: strangerToken } = await newWorkspace());
    fileId = await newFile();
    const parts = [
      { provide: Store, useValue: store },
      { provide: BlobStore, useValue: blobs },
      { provide: PublicUrl, useValue: new PublicUrl('https://plots.example') },
    ];
    @Global()
    @Module({ providers: parts, exports: parts.map(({ provide }) => provide) })
    class PartsModule {}
    @Module({ imports: [PartsModule, HttpModule], controllers: [FileContentController] })
    class TestModule {}
    app = await createHttpApp(TestModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/api/v1/files`;
  });
  afterAll(async () => {
    await app?.close();
    await store?.close();
    await database?.drop();
  });

  async function newWorkspace(): Promise<{ tenantId: TenantId; token: string }> {
    const owner = { tenantId: tenantIdOf(randomUUID()), personId: randomUUID() };
    await insertPerson(store.global, owner.personId, 'Ada');
    await store.withTenant(owner.tenantId, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      await insertMember(scope, owner.personId, 'owner');
      await insertExperiment(scope, {
        experimentId: experimentIdOf(randomBytes(11).toString('hex')),
        name: '',
        description: '',
        ownerId: owner.personId,
        labels: [],
      });
    });
    return { tenantId: owner.tenantId, token: await createToken(store, { ...owner, name: 'test' }) };
  }

  /** Three objects of 70,000 bytes. */
  async function newFile(): Promise<FileId> {
    return store.withTenant(tenantId, async (scope) => {
      const { experiment_id: experimentId } = await scope.trx
        .selectFrom('experiment')
        .select('experiment_id')
        .where('tenant_id', '=', tenantId)
        .executeTakeFirstOrThrow();
      const runId = (await ensureRun(scope, experimentId, '.'))!;
      const id = (await insertFile(scope, { experimentId, runId, name, version: 1 }))!;
      for (let offset = 0; offset < bytes.length; offset += 70_000) {
        const part = bytes.subarray(offset, offset + 70_000);
        const range = { fileId: id, offset, length: part.length, crc32c: crc32c(part) };
        const objectKey = segmentKey({ ...range, coding: null });
        await blobs.put(tenantId, objectKey, part);
        await insertSegments(scope, [{ ...range, epoch: 1, body: null, objectKey, encoding: 0 }]);
      }
      await advanceFiles(scope, [{ fileId: id, durableOffset: bytes.length, crc32c: crc32c(bytes) }]);
      return id;
    });
  }

  const get = async (headers: Record<string, string> = {}, id: string = fileId, method = 'GET') => {
    const response = await fetch(`${url}/${id}/content`, { method, headers: { authorization: `Bearer ${token}`, ...headers } });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  };

  it('is the uploaded bytes, as a download that browsers do not interpret', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(createHash('sha256').update(body).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="events.out.tfevents.1._____"; filename*=UTF-8''events.out.tfevents.1.%C3%BC%22%5C%0D%0A`,
    );
    expect(Buffer.from(/crc32c=:(.*):/.exec(headers.get('repr-digest')!)![1]!, 'base64').readUInt32BE()).toBe(crc32c(bytes));
  });

  it('supports ranges', async () => {
    const part = await get({ range: 'bytes=69999-140000' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 69999-140000/210000');
    expect(part.body.equals(bytes.subarray(69_999, 140_001))).toBe(true);
    const tail = await get({ range: 'bytes=-5', 'if-range': part.headers.get('etag')! });
    expect(tail.body.equals(bytes.subarray(-5))).toBe(true);
    expect((await get({ range: 'bytes=-5', 'if-range': '"another"' })).status).toBe(200);
    const outside = await get({ range: 'bytes=210000-' });
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe('bytes */210000');
    expect(JSON.parse(outside.body.toString())).toMatchObject({ code: 'range-not-satisfiable', bytes: 210_000 });
  });

  it('supports HEAD and If-None-Match', async () => {
    const { headers, body, status } = await get({}, fileId, 'HEAD');
    expect([status, headers.get('content-length'), body.length]).toEqual([200, '210000', 0]);
    expect((await get({ 'if-none-match': headers.get('etag')! })).status).toBe(304);
  });

  it('is a 404 for others, and for anything but a file', async () => {
    expect((await get({ authorization: `Bearer ${strangerToken}` })).status).toBe(404);
    for (const id of ['0', '12345', 'x', '9'.repeat(30)]) expect((await get({}, id)).status).toBe(404);
  });

  it('accepts one query parameter, of bounded length', async () => {
    const status = async (query: string) =>
      (await fetch(`${url}/${fileId}/content?${query}`, { headers: { authorization: `Bearer ${token}` } })).status;
    const queries = ['experiment=x', `experiment=${'0'.repeat(101)}`, 'experiment=x&experiment=y', 'range=1'];
    expect(await Promise.all(queries.map(status))).toEqual([200, 400, 400, 400]);
  });

  it('is a problem if its first bytes are lost, and a truncated download if later ones are', async () => {
    const damaged = await newFileWithout(0);
    const response = await get({}, damaged);
    expect([response.status, JSON.parse(response.body.toString())]).toEqual([410, expect.objectContaining({ code: 'stored-bytes-lost' })]);
    expect(response.headers.get('content-disposition')).toBeNull();
    await expect(get({}, await newFileWithout(140_000))).rejects.toThrow('terminated');
  });

  it('is a problem before its first byte if the check found a later range lost, and readable around that range', async () => {
    const damaged = await newFileWithout(140_000);
    const part = bytes.subarray(140_000);
    const objectKey = segmentKey({ fileId: damaged, offset: 140_000, length: part.length, crc32c: crc32c(part), coding: null });
    const operator = new Operator(database.migratorUrl);
    await operator.run((_, inTenant) =>
      writeLostRanges(inTenant(tenantId), [{ fileId: damaged, objectKey, offset: 140_000, bytes: part.length, reason: 'missing' }]),
    );
    await operator.close();
    const whole = await get({}, damaged);
    expect([whole.status, JSON.parse(whole.body.toString()).code]).toEqual([410, 'stored-bytes-lost']);
    expect((await get({ range: 'bytes=139999-140000' }, damaged)).status).toBe(410);
    const before = await get({ range: 'bytes=0-139999' }, damaged);
    expect([before.status, before.body.equals(bytes.subarray(0, 140_000))]).toEqual([206, true]);
  });

  async function newFileWithout(offset: number): Promise<FileId> {
    await store.withTenant(tenantId, ({ trx }) => trx.deleteFrom('run').where('tenant_id', '=', tenantId).execute());
    const id = await newFile();
    const part = bytes.subarray(offset, offset + 70_000);
    await blobs.delete(tenantId, segmentKey({ fileId: id, offset, length: part.length, crc32c: crc32c(part), coding: null }));
    return id;
  }
});
