import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { FairQueue } from '#admission';
import { createToken } from '#auth';
import { serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/** A request for a database connection, and how it ended. */
interface Wait {
  state: 'waiting' | 'granted' | 'dropped';
}

/* Each request waits for the only connection, which the test holds. */
describeWith(['postgres'], 'a canceled request that waits for the database', () => {
  let service: ReadService;
  let owner: TestTenant;
  let world: SeriesWorld;
  let id: string;
  let grpc: GrpcTestClient;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [], { storeOptions: { appPoolSize: 1 } });
    owner = await service.tenant();
    id = (await service.call(owner, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    world = await SeriesWorld.over({ database: service.database, tenantId: owner.tenantId, experimentId: id as never });
    const runId = await world.run('run');
    const fileId = await world.file(runId, 'events.1');
    await world.storePoints(await world.series(runId, 'loss'), [{ fileId, points: pointsOf([[0, 1, 2] as const, [1, 2, 3] as const]) }]);
    grpc = new GrpcTestClient((await serveGrpc(service.app, standardGrpc()))!.port, { authorization: `Bearer ${owner.token}` });
  });
  afterAll(async () => {
    grpc?.close();
    await world?.close();
    await service?.close();
  });
  // The frozen clock keeps credentials in the cache and prevents timeouts
  beforeEach(() => {
    const now = performance.now();
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    vi.advanceTimersByTime(now);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /**
   * Holds the connection until it is released. `waits`: the waits of other requests from now on.
   */
  async function hold() {
    const waits: Wait[] = [];
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const original = FairQueue.prototype.enter;
    const connections: FairQueue[] = [];
    vi.spyOn(FairQueue.prototype, 'enter').mockImplementation(function (this: FairQueue, share, units, onPermit) {
      if (connections.length === 0) connections.push(this); // the first one is ours
      if (!connections.includes(this)) return original.call(this, share, units, onPermit);
      const wait: Wait = { state: 'waiting' };
      waits.push(wait);
      const waiting = original.call(this, share, units, (permit) => {
        wait.state = 'granted';
        onPermit(permit);
      });
      return {
        cancel: () => {
          if (wait.state === 'waiting') wait.state = 'dropped';
          waiting.cancel();
        },
      };
    });
    const holding = service.store.withTenant(owner.tenantId, () => {
      held.resolve();
      return released.promise;
    });
    await held.promise;
    waits.length = 0;
    const release = async (): Promise<void> => {
      released.resolve();
      await holding;
    };
    return { waits, release };
  }

  interface Sent {
    readonly method?: string;
    readonly path: string;
    readonly body?: string;
    readonly accept?: string;
    readonly token?: string;
  }

  /** Sends a request on its own connection; returns the status, or `canceled`. */
  function send({ method = 'GET', path, body, accept, token = owner.token }: Sent) {
    const { port } = service.app.getHttpServer().address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}`, ...(accept && { accept }), ...(body && { 'content-type': 'application/json' }) };
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
    const ended = new Promise<number | string>((resolve) => {
      request.on('error', () => resolve('canceled'));
      request.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode!)));
    });
    request.end(body);
    return { ended, cancel: () => void request.destroy() };
  }

  function call(path: string) {
    const { response, cancel } = grpc.start(path, { experimentId: id });
    const ended = response.then(
      () => 200,
      () => 'canceled',
    );
    return { ended, cancel };
  }

  const query = (accept?: string): Sent => ({
    method: 'POST',
    path: `/api/v1/experiments/${id}/scalars/query`,
    body: '{}',
    ...(accept && { accept }),
  });
  const kinds = {
    'a list': () => send({ path: '/api/v1/experiments' }),
    'an object': () => send({ path: `/api/v1/experiments/${id}` }),
    'a query': () => send(query()),
    'an export as CSV': () => send(query('text/csv')),
    'a page': () => send({ path: `/e/${id}` }),
    'a picture': () => send({ path: `/e/${id}/loss.png` }),
    'a gRPC call': () => call('/tensorboard.data.TensorBoardDataProvider/ListRuns'),
  };
  it.each(Object.entries(kinds))('is dropped: %s', async (_kind, start) => {
    expect(await start().ended).toBe(200); // its credentials are known now
    const { waits, release } = await hold();
    const requests = Array.from({ length: 3 }, start);
    await expect.poll(() => waits.length).toBe(3);
    for (const request of requests) request.cancel();
    await expect.poll(() => waits.map(({ state }) => state)).toEqual(['dropped', 'dropped', 'dropped']);
    await release();
    expect(await start().ended).toBe(200);
  });

  it('is finished if it changes something', async () => {
    expect(await send({ path: '/api/v1/experiments' }).ended).toBe(200);
    const { waits, release } = await hold();
    const change = send({ method: 'PATCH', path: `/api/v1/experiments/${id}`, body: '{"name":"changed"}' });
    await expect.poll(() => waits.length).toBe(1);
    const read = send({ path: `/api/v1/experiments/${id}` });
    await expect.poll(() => waits.length).toBe(2);
    change.cancel();
    read.cancel();
    await expect.poll(() => waits.map(({ state }) => state)).toEqual(['waiting', 'dropped']);
    await release();
    await expect.poll(async () => (await service.call(owner, 'GET', `/api/v1/experiments/${id}`)).json.name).toBe('changed');
  });

  it('is in the audit log if it was rejected', async () => {
    const { tenantId, personId } = owner;
    const token = await createToken(service.store, { tenantId, personId, name: 'reads', scopes: ['read'] });
    expect(await send({ path: '/api/v1/experiments', token }).ended).toBe(200);
    const { waits, release } = await hold();
    const rejected = send({ method: 'PATCH', path: `/api/v1/experiments/${id}`, body: '{"name":"not this"}', token });
    await expect.poll(() => waits.length).toBe(1);
    const read = send({ path: `/api/v1/experiments/${id}`, token });
    await expect.poll(() => waits.length).toBe(2);
    rejected.cancel();
    read.cancel();
    await expect.poll(() => waits.map(({ state }) => state)).toEqual(['waiting', 'dropped']);
    await release();
    await expect
      .poll(async () =>
        (await service.call(owner, 'GET', '/api/v1/audit?result=refused')).json.entries.map(({ action }: { action: string }) => action),
      )
      .toEqual(['experiment.update']);
  });
});
