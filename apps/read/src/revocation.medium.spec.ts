import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopes } from '#auth';
import { blobKey, FolderBlobStore } from '#blobs';
import { serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import type { FileId } from '#model';
import { experimentIdOf } from '#model/testing';
import type { ReadBlobResponse } from '#protocols';
import { writeBlobKey } from '#series';
import { SeriesWorld } from '#series/testing';
import { copyBlobSequences } from '#store';
import { describeWith, readAround } from '#testing';
import { DeletionWorld } from '../../ingest/src/testing/deletion-world.ts';
import { type ReadService, startReadService, type TestTenant } from './testing/read-service.ts';

/**
 * After a credential ends, data is sent for at most this long, except data that is already in
 * transit (libs/http/src/while-allowed.ts).
 */
const boundMs = 5_000;

const mebibyte = 1024 * 1024;
/** Size of the download: several times what Node and the kernel buffer. */
const bytes = randomBytes(24 * mebibyte);

/* Reliability test 40, for long responses. */
describeWith(['postgres'], 'a long response whose reader loses access meanwhile', () => {
  let service: ReadService;
  let folder: string;
  let world: SeriesWorld;
  let grpcPort: number;
  let owner: TestTenant;
  let fileId: FileId;
  let key: string;
  let auditBytes: number;
  const clients: GrpcTestClient[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-read-'));
    const blobs = await FolderBlobStore.open(folder);
    service = await startReadService('http://plots.example', [], { objects: blobs });
    grpcPort = (await serveGrpc(service.app, standardGrpc()))!.port;
    owner = await service.tenant();
    const { tenantId } = owner;

    const files = new DeletionWorld(service.store, blobs);
    const experimentId = experimentIdOf(await files.experiment(owner));
    fileId = await files.open(owner, experimentId, 'run', 'events.1');
    for (let offset = 0; offset < bytes.length; offset += mebibyte)
      await files.append(owner, experimentId, fileId, offset, bytes.subarray(offset, offset + mebibyte));

    world = await SeriesWorld.over({ database: service.database, tenantId, experimentId });
    const runId = await world.run('images');
    const imagesFileId = await world.file(runId, 'events.1');
    const seriesId = await world.series(runId, 'eye', { dataClass: 'blob_sequence', plugin: 'images' });
    const sha256 = createHash('sha256').update(bytes).digest();
    await blobs.put(tenantId, blobKey(sha256), bytes);
    const place = { seriesId, fileId: imagesFileId, ordinal: 0 };
    const row = { ...place, recordOffset: 0, step: 1n, wallTime: 1, superseded: false, sha256: [sha256], bytes: [bytes.length] };
    await world.store.withIngest(tenantId, (ingest) => copyBlobSequences(ingest, [row]));
    key = writeBlobKey({ experimentId, ...place, index: 0 });

    await service.sql(
      `insert into audit_entry (tenant_id, actor_id, via, action, result, details)
       select $1, $2, 'token', 'experiment.update', 'done', jsonb_build_object('changed', repeat('x', 1900)) from generate_series(1, 10000)`,
      [tenantId, owner.personId],
    );
    auditBytes = (await service.call(owner, 'GET', auditPath)).text.length;
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await world?.close();
    await service?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  async function newToken(): Promise<{ id: string; token: string }> {
    const { json } = await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'for this test', scopes } });
    return json;
  }

  const auditPath = '/api/v1/audit/export?action=experiment.update';
  const get = (path: string, token: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const options = { headers: { authorization: `Bearer ${token}` }, agent: false };
      httpRequest(service.base + path, options, resolve)
        .on('error', reject)
        .end();
    });
  async function* readBlob(token: string): AsyncGenerator<Buffer> {
    const client = new GrpcTestClient(grpcPort, { authorization: `Bearer ${token}` });
    clients.push(client);
    for await (const { data } of client.open<ReadBlobResponse>('/tensorboard.data.TensorBoardDataProvider/ReadBlob', { blobKey: key }))
      yield Buffer.from(data);
  }

  const cut = { code: 'ECONNRESET' };
  const responses: readonly {
    readonly name: string;
    readonly open: (token: string) => AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
    readonly bytes: () => number;
    readonly end: object;
  }[] = [
    { name: 'a list, line by line', open: (token) => get(auditPath, token), bytes: () => auditBytes, end: cut },
    { name: 'an event file', open: (token) => get(`/api/v1/files/${fileId}/content`, token), bytes: () => bytes.length, end: cut },
    { name: 'a blob', open: (token) => get(`/api/v1/blobs/${key}`, token), bytes: () => bytes.length, end: cut },
    {
      name: 'a blob, to stock TensorBoard',
      open: readBlob,
      bytes: () => bytes.length,
      end: { code: status.PERMISSION_DENIED, details: expect.stringContaining('revoked') }, // the text that TensorBoard shows its user
    },
  ];

  for (const { name, open, bytes: all, end } of responses) {
    it.concurrent(`ends when the token is revoked, and is complete for others: ${name}`, async () => {
      const [kept, revoked] = [await newToken(), await newToken()];
      const pause = (): Promise<void> => sleep(boundMs);
      const revoke = async (): Promise<void> => {
        expect((await service.call(owner, 'DELETE', `/api/v1/tokens/${revoked.id}`)).status).toBe(204);
      };
      const [whole, broken] = await Promise.all([
        readAround(await open(kept.token), pause),
        readAround(await open(revoked.token), async () => revoke().then(pause)),
      ]);
      expect([whole.error, Buffer.concat(whole.pieces).length]).toEqual([null, all()]);
      expect(broken.error).toMatchObject(end);
      expect(Buffer.concat(broken.pieces).length).toBeLessThan(all());
    });
  }
});
