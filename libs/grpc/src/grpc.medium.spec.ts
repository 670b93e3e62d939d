import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { connect as connectFrom } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { Controller, Global, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createToken, firstStart } from '#auth';
import { createHttpApp, Does, HealthModule, HttpModule, PublicUrl } from '#http';
import { Problem, type TenantId } from '#model';
import { experimentIdOf } from '#model/testing';
import type { DeleteExperimentRequest, ReadBlobRequest, WriteBlobRequest } from '#protocols';
import { Store } from '#store';
import { createLogger, startTracing } from '#telemetry';
import { createTestDatabase, describeWith, OtlpReceiver, type TestDatabase } from '#testing';
import { GrpcTestClient } from './testing/index.ts';
import { checkCalls, GrpcCaller, GrpcFault, GrpcModule, GrpcSettings, liveCalls, Message, Rpc, serveGrpc, standardGrpc } from './index.ts';

const writer = 'tensorboard.service.TensorBoardWriterService';
const provider = 'tensorboard.data.TensorBoardDataProvider';

@Controller()
class ThingController {
  @Does('experiment.upload')
  @Rpc(writer, 'DeleteExperiment')
  async remove(@Message() { experimentId }: DeleteExperimentRequest, @GrpcCaller() caller: { tenantId: TenantId }) {
    if (experimentId === 'broken') throw new Error('secret words of the operator');
    if (experimentId === 'missing') throw new Problem('experiment-not-found', 'No such thing.');
    if (caller.tenantId === '') throw new Error('no caller');
    return {};
  }

  @Does('experiment.view')
  @Rpc(provider, 'ReadBlob')
  async *read(@Message() { blobKey }: ReadBlobRequest) {
    for (let i = 0; i < 40; i++) yield { data: Buffer.alloc(200_000, i) };
    if (blobKey === 'half') throw new Problem('blob-not-found', 'The second half is gone.');
  }

  @Does('experiment.upload')
  @Rpc(writer, 'WriteBlob')
  async *write(@Message() messages: AsyncIterable<WriteBlobRequest>) {
    let size = 0n;
    for await (const message of messages) size += BigInt(message.data.length);
    yield { blobState: 2, size };
  }
}

@Controller()
class CarelessController {
  @Rpc(writer, 'PurgeData')
  async purge() {
    return {};
  }
}

/** Lines that this file's processes logged, except Nest's. */
const logged: Record<string, unknown>[] = [];
const listen = (line: unknown): void => void (typeof line === 'object' && logged.push(line as Record<string, unknown>));
const logger = { log: () => undefined, error: listen, warn: listen, debug: listen, verbose: () => undefined };

describeWith(['postgres'], 'the gRPC edge', () => {
  let database: TestDatabase;
  let store: Store;
  let app: NestExpressApplication;
  let port: number;
  let token: string;
  let reader: string;

  async function startApp(controller: new () => object): Promise<NestExpressApplication> {
    @Global()
    @Module({
      providers: [
        { provide: Store, useValue: store },
        { provide: PublicUrl, useValue: new PublicUrl('https://plots.example') },
      ],
      exports: [Store, PublicUrl],
    })
    class PartsModule {}
    @Module({ imports: [PartsModule, HttpModule, HealthModule, GrpcModule], controllers: [controller] })
    class TestModule {}
    const made = await createHttpApp(TestModule, { logger });
    await made.listen(0, '127.0.0.1');
    return made;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    const start = await firstStart(store, { personName: 'Ada', workspaceName: 'Lab', tokenName: 'cli' });
    token = start.token!;
    reader = await createToken(store, { ...start.owner, name: 'reader', scopes: ['read'] });
    app = await startApp(ThingController);
    port = (await serveGrpc(app, standardGrpc()))!.port;
  });
  afterAll(async () => {
    await app?.close();
    await store?.close();
    await database?.drop();
  });

  const as = (secret: string) => new GrpcTestClient(port, { authorization: `Bearer ${secret}` });
  const remove = (client: GrpcTestClient, experimentId: string) => client.call(`/${writer}/DeleteExperiment`, { experimentId });

  it('rejects calls without valid credentials for it', async () => {
    await expect(remove(new GrpcTestClient(port), experimentIdOf('x'))).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    await expect(remove(as('plt_wrong'), experimentIdOf('x'))).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    await expect(remove(as(reader), experimentIdOf('x'))).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    await expect(remove(as(token), experimentIdOf('x'))).resolves.toEqual({});
    await expect(new GrpcTestClient(port).stream(`/${provider}/ReadBlob`, { blobKey: 'k' })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED, // the text that TensorBoard shows its user
    });
    await expect(new GrpcTestClient(port).exchange(`/${writer}/WriteBlob`, [{ data: Buffer.alloc(9) }])).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
  });

  it('returns errors as statuses, without internals', async () => {
    await expect(remove(as(token), experimentIdOf('missing'))).rejects.toMatchObject({ code: status.NOT_FOUND, details: 'No such thing.' });
    const broken = await remove(as(token), experimentIdOf('broken')).catch((error: unknown) => error as { code: number; details: string });
    expect(broken).toMatchObject({ code: status.UNAVAILABLE });
    expect(JSON.stringify(broken)).not.toContain('secret words');
    await expect(as(token).call(`/${writer}/PurgeData`, {})).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  });

  it('logs each failed call in one line with the request id of its trailers', async () => {
    const line = async (client: GrpcTestClient, id: string) => {
      const error = await remove(client, id).then(
        () => null,
        (thrown: unknown) => thrown as { metadata: Metadata },
      );
      const [requestId] = error!.metadata.get('x-request-id');
      const own = logged.filter(({ request_id: known }) => known === requestId);
      expect(own).toHaveLength(1);
      return own[0]!;
    };
    const common = { route: `/${writer}/DeleteExperiment`, duration_ms: expect.any(Number) as number };
    const broken = await line(as(token), 'broken');
    expect(broken).toMatchObject({ ...common, message: 'A request failed.', status: 'UNAVAILABLE', code: 'internal' });
    expect(broken['err']).toMatchObject({ message: 'secret words of the operator' });
    const rejected = { ...common, message: 'A request was rejected.' };
    expect(await line(as(token), 'missing')).toMatchObject({ ...rejected, status: 'NOT_FOUND', code: 'experiment-not-found' });
    expect(await line(as(reader), 'x')).toMatchObject({ ...rejected, status: 'PERMISSION_DENIED', code: 'forbidden' });
    expect(await line(new GrpcTestClient(port), 'x')).toMatchObject({ ...rejected, status: 'UNAUTHENTICATED', code: 'unauthenticated' });
    expect(JSON.stringify(logged)).not.toContain(token);
  });

  it('records calls as spans when traces are exported', async () => {
    const receiver = await OtlpReceiver.start();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url).stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    const tracing = await startTracing(process.env, 'test', createLogger({ level: 'silent', format: 'json' }));
    try {
      await remove(as(token), 'x');
      await remove(as(token), 'broken').catch(() => undefined);
      await as(token)
        .stream(`/${provider}/ReadBlob`, { blobKey: 'half' })
        .catch(() => undefined);
      await tracing!.close();
      const calls = receiver.spans.filter(({ parentSpanId }) => parentSpanId === '');
      expect(calls.map(({ name, failed, attributes }) => [name, failed, attributes['error.type']])).toEqual([
        [`${writer}/DeleteExperiment`, false, undefined],
        [`${writer}/DeleteExperiment`, true, 'internal'],
        [`${provider}/ReadBlob`, true, 'NOT_FOUND'],
      ]);
      expect(calls.every(({ attributes }) => typeof attributes['plotline.request_id'] === 'string')).toBe(true);
      expect(receiver.text).not.toContain(token);
    } finally {
      vi.unstubAllEnvs();
      await tracing?.close();
      await receiver.close();
    }
  });

  it('rejects messages that are too large or malformed, from authorized callers', async () => {
    await expect(remove(as(token), experimentIdOf('x'.repeat(70_000)))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    await expect(remove(new GrpcTestClient(port), experimentIdOf('x'.repeat(70_000)))).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
  });

  it('bounds all messages in flight, and keeps a part for other workspaces', async () => {
    // Six unknown addresses start more messages than memory allows, and send little or no data.
    const sessions = [1, 2, 3, 4, 5, 6].map((n) =>
      connect(`http://127.0.0.1:${port}`, {
        createConnection: () => connectFrom({ host: '127.0.0.1', port, localAddress: `127.0.0.${n}` }),
      }),
    );
    for (const session of sessions) session.on('error', () => undefined);
    try {
      await Promise.all(sessions.map((session) => once(session, 'connect')));
      for (const session of sessions) {
        for (let n = 0; n < 60; n++) {
          const headers = { ':method': 'POST', ':path': `/${provider}/ReadBlob`, 'content-type': 'application/grpc', te: 'trailers' };
          const clientStream = session.request(headers).on('error', () => undefined);
          if (n % 2 === 0) clientStream.write(Buffer.concat([Buffer.from([0, 0, 0xb0, 0, 0]), Buffer.alloc(1_000)]));
        }
        await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
      }
      let rejected = false;
      const waiting = new GrpcTestClient(port).stream(`/${provider}/ReadBlob`, { blobKey: 'k' }).catch((error: { code: number }) => {
        rejected = true;
        return error;
      });
      for (let n = 0; n < 5; n++) await expect(remove(as(token), experimentIdOf('x'))).resolves.toEqual({});
      expect(rejected).toBe(false);
      for (const session of sessions) session.destroy();
      expect(await waiting).toMatchObject({ code: status.PERMISSION_DENIED });
    } finally {
      for (const session of sessions) session.destroy();
    }
  });

  it('closes a connection that cancels hundreds of calls at once, and no other', async () => {
    const flood = connect(`http://127.0.0.1:${port}`);
    flood.on('error', () => undefined);
    await once(flood, 'connect');
    const closed = new Promise<void>((resolve) => void flood.once('close', resolve));
    const headers = { ':method': 'POST', ':path': `/${provider}/ReadBlob`, 'content-type': 'application/grpc', te: 'trailers' };
    const cancelSome = (): void => {
      for (let n = 0; n < 40 && !flood.destroyed; n++)
        flood
          .request(headers)
          .on('error', () => undefined)
          .close(constants.NGHTTP2_CANCEL);
    };
    const other = as(token);
    await expect(remove(other, 'x')).resolves.toEqual({});
    for (let round = 0; round < 12; round++) {
      cancelSome();
      await expect(remove(other, 'x')).resolves.toEqual({});
    }
    await closed;
    await expect(remove(other, 'x')).resolves.toEqual({});
  });

  it('closes all connections of an address that cancels many calls across them, and no others', async () => {
    const flood = Array.from({ length: 14 }, () =>
      connect(`http://127.0.0.1:${port}`, {
        createConnection: () => connectFrom({ host: '127.0.0.1', port, localAddress: '127.0.0.3' }),
      }).on('error', () => undefined),
    );
    await Promise.all(flood.map((session) => once(session, 'connect')));
    const closed = Promise.all(flood.map((session) => new Promise<void>((resolve) => void session.once('close', resolve))));
    const other = as(token);
    const headers = { ':method': 'POST', ':path': `/${provider}/ReadBlob`, 'content-type': 'application/grpc', te: 'trailers' };
    for (const session of flood)
      for (let n = 0; n < 190; n++)
        // a single connection may cancel 200
        session
          .request(headers)
          .on('error', () => undefined)
          .close(constants.NGHTTP2_CANCEL);
    await expect(remove(other, 'x')).resolves.toEqual({});
    await closed;
    await expect(remove(other, 'x')).resolves.toEqual({});
  });

  it('streams in both directions', async () => {
    const read = await as(token).stream<{ data: Buffer }>(`/${provider}/ReadBlob`, { blobKey: 'k' });
    expect(read.map(({ data }) => data[0])).toEqual(Array.from({ length: 40 }, (_, i) => i));
    await expect(as(token).stream(`/${provider}/ReadBlob`, { blobKey: 'half' })).rejects.toMatchObject({ code: status.NOT_FOUND });
    const sent = Array.from({ length: 30 }, () => ({ data: Buffer.alloc(300_000) }));
    await expect(as(token).exchange(`/${writer}/WriteBlob`, sent)).resolves.toMatchObject([{ blobState: 2, size: 9_000_000n }]);
    await expect(as(token).exchange(`/${writer}/WriteBlob`, [])).resolves.toMatchObject([{ size: 0n }]);
  });

  it('answers probes', async () => {
    const client = new GrpcTestClient(port);
    await expect(client.call('/grpc.health.v1.Health/Check', { service: '' })).resolves.toMatchObject({ status: 1 });
    await expect(client.call('/grpc.health.v1.Health/Check', { service: 'no.Such' })).resolves.toMatchObject({ status: 3 });
  });

  it.each(['v1', 'v1alpha'])('does not list its services: reflection %s', async (version) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const same = (bytes: Buffer): Buffer => bytes;
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    const call = client.makeBidiStreamRequest(`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`, same, same, metadata);
    call.end(Buffer.from([0x3a, 0]));
    await expect(once(call.resume(), 'end')).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    client.close();
  });

  it('does not start if a handler declares no policy, or if others could listen', async () => {
    expect(() => checkCalls([...liveCalls(app), { path: '/a/B', handler: 'A.b', public: true, action: null }])).toThrow(/A.b/);
    const careless = await startApp(CarelessController);
    await expect(serveGrpc(careless, standardGrpc())).rejects.toThrow(/CarelessController.purge has no action/);
    const open = new GrpcSettings(
      { host: '0.0.0.0', port: 0, publicTarget: undefined, tlsCertFile: undefined, tlsKeyFile: undefined },
      { trustedProxies: [] },
    );
    await expect(serveGrpc(app, open)).rejects.toThrow(GrpcFault);
    await careless.close();
  });
});
