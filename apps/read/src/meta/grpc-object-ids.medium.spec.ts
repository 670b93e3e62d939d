import { status } from '@grpc/grpc-js';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createToken, type Scope, scopes } from '#auth';
import { rules } from '#experiments';
import { type LiveCall, liveCalls, methods, publicCalls, serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import { experimentIdOf, fileIdOf, seriesIdOf } from '#model/testing';
import { writeBlobKey } from '#series';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { hashWorkspaceRows } from '../testing/workspace-rows.ts';

/*
 * Reliability tests 25 and 33, for gRPC: every live method × credentials without access, with the
 * ids of everything that a workspace can have. New methods are included automatically; a method
 * whose message names something unknown here fails.
 */

const png = Buffer.from(`\x89PNG\r\n\x1a\n secret image`, 'latin1');

/** Methods that name no experiment, and return only data that the caller may see. */
const unbound = ['StreamExperiments', 'GetUser', 'PurgeData'];

/** In JSON, with bytes as text, because their content is searched too. */
function readable(_key: string, part: unknown): unknown {
  if (typeof part === 'bigint') return String(part);
  if (part instanceof Uint8Array) return Buffer.from(part).toString('latin1');
  if (typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer' && 'data' in part)
    return Buffer.from(part.data as number[]).toString('latin1');
  return part;
}

interface Outcome {
  readonly code: number;
  /** Everything that the caller received. */
  readonly body: string;
}

describeWith(['postgres'], 'the objects of a workspace, over gRPC', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let calls: LiveCall[];
  let port: number;
  let owner: TestTenant;
  let owned: { experimentId: ExperimentId; blobKey: string; sequenceId: string };
  let other: string;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    logged = new LoggedExperiments(service);
    calls = liveCalls(service.app);
    port = (await serveGrpc(service.app, standardGrpc()))!.port;
    owner = await service.tenant('Secret Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
    const values = [
      { tag: 'secret/loss', scalar: 0.25 },
      { tag: 'secret/image', images: [png] },
    ];
    const experimentId = await logged.make(owner, { 'secret-run': [{ step: 1n, values }] }, 'secret experiment');
    other = await logged.make(owner, { run: [{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }] }, 'other');
    const [value] = await service.sql(
      `select series_id::text, file_id::text from blob_sequence_value where tenant_id = $1 and cardinality(blob_bytes) > 0`,
      [owner.tenantId],
    );
    const place = { experimentId, seriesId: seriesIdOf(String(value!.series_id)), fileId: fileIdOf(String(value!.file_id)) };
    const as = client({ authorization: `Bearer ${owner.token}` });
    const { blobSequenceId } = await as.call<{ blobSequenceId: string }>(
      '/tensorboard.service.TensorBoardWriterService/GetOrCreateBlobSequence',
      { experimentId, run: 'secret-run', tag: 'secret/blobs', step: 1, finalSequenceLength: 2 },
    );
    owned = { experimentId, blobKey: writeBlobKey({ ...place, ordinal: 0, index: 2 }), sequenceId: blobSequenceId };
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const client = (headers: Record<string, string>): GrpcTestClient => new GrpcTestClient(port, headers);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const guarded = () => calls.filter((call) => !call.public);

  /** Fields that identify something, in all existing messages. */
  const messageOf = (ids: typeof owned): object => ({
    experimentId: ids.experimentId,
    blobKey: ids.blobKey,
    blobId: ids.blobKey,
    blobSequenceId: ids.sequenceId,
    experiment: { experimentId: ids.experimentId, name: 'changed' },
    experimentMask: { name: true },
    pluginFilter: { pluginName: 'scalars' },
    downsample: { numPoints: 10 },
    run: 'secret-run',
    tag: 'secret/blobs',
    runs: [{ name: 'secret-run', tags: [{ name: 'secret/loss', points: [{ step: 9, value: 1 }] }] }],
    limit: 10,
    data: Buffer.from('x'),
    finalizeObject: true,
  });

  async function send({ path }: LiveCall, ids: typeof owned, headers: Record<string, string>): Promise<Outcome> {
    const shape = methods.find((method) => method.path === path)!;
    const as = client(headers);
    const message = messageOf(ids) as Record<string, unknown>;
    // `runs` is a list in writes and a filter elsewhere.
    const own = path.includes('/Write') ? message : { ...message, runs: undefined };
    try {
      const response = shape.requestStream
        ? await as.exchange(path, [own])
        : shape.responseStream
          ? await as.stream(path, own)
          : await as.call(path, own);
      return { code: status.OK, body: JSON.stringify(response, readable) };
    } catch (error) {
      const { code, details, metadata } = error as { code: number; details: string; metadata: { getMap(): object } };
      return { code, body: JSON.stringify([details, { ...metadata.getMap(), 'x-request-id': '', date: '' }]) };
    } finally {
      as.close();
    }
  }

  const state = (): Promise<string> => hashWorkspaceRows(service, owner.tenantId);

  let before: string;
  beforeEach(async () => {
    before = await state();
  });

  const expectRejected = async (headersOf: (call: LiveCall) => Record<string, string>, codes: readonly number[]): Promise<void> => {
    expect(guarded().length).toBeGreaterThan(20);
    for (const call of guarded()) {
      const { code, body } = await send(call, owned, headersOf(call));
      expect([call.path, codes.includes(code), code]).toEqual([call.path, true, code]);
      expect([call.path, /secret/i.test(body)]).toEqual([call.path, false]);
    }
    expect(await state()).toBe(before);
  };
  const notSignedIn = [status.UNAUTHENTICATED, status.PERMISSION_DENIED];

  it('cover every method of libs/protocols, and are public exactly where the list says so', () => {
    expect(calls.map(({ path }) => path).sort()).toEqual(methods.map(({ path }) => path).sort());
    expect(
      calls
        .filter((call) => call.public)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...publicCalls].sort());
  });

  it('are denied without credentials, and with wrong, revoked and expired ones and their JWTs', async () => {
    const { tenantId, personId } = owner;
    const revoked = await createToken(service.store, { tenantId, personId, name: 'revoked' });
    const { json: exchanged } = await service.call(null, 'POST', '/api/v1/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: revoked,
      },
    });
    const expired = await createToken(service.store, { tenantId, personId, name: 'expired', expiresAt: new Date(Date.now() + 86_400_000) });
    await service.sql(`update access_token set revoked_at = now() where tenant_id = $1 and name = 'revoked'`, [tenantId]);
    await service.sql(`update access_token set expires_at = now() where tenant_id = $1 and name = 'expired'`, [tenantId]);
    const jwt = bearer(exchanged.access_token);
    await expect
      .poll(async () => (await service.call(null, 'GET', '/api/v1/whoami', { headers: jwt })).status, { timeout: 10_000 })
      .toBe(401);
    before = await state();
    const wrong: Record<string, string>[] = [
      {},
      bearer(revoked),
      bearer(expired),
      jwt,
      bearer(`plt_${'0'.repeat(36)}`),
      { authorization: 'Basic Og==' },
      { 'plotline-share': 'x' },
    ];
    for (const headers of wrong) await expectRejected(() => headers, notSignedIn);
  });

  it('are denied to credentials without the scope', async () => {
    const { tenantId, personId } = owner;
    const without = new Map<Scope, string>();
    for (const scope of scopes) {
      const rest = scopes.filter((one) => one !== scope);
      without.set(scope, await createToken(service.store, { tenantId, personId, name: `all but ${scope}`, scopes: rest }));
    }
    before = await state();
    await expectRejected(({ action }) => bearer(without.get(rules[action as keyof typeof rules].scope)!), [status.PERMISSION_DENIED]);
  });

  it('are denied to a token or a link for another experiment', async () => {
    const { tenantId, personId } = owner;
    const bounded = await createToken(service.store, { tenantId, personId, name: 'bounded', experiments: [other] });
    const made = await service.call(owner, 'POST', `/api/v1/experiments/${other}/share-links`, { body: {} });
    const link = String(made.json.url).split('/').at(-1)!;
    before = await state();
    const narrow: Record<string, string>[] = [bearer(bounded), { 'plotline-share': link }];
    const rejected = [status.NOT_FOUND, status.PERMISSION_DENIED];
    for (const headers of narrow) {
      for (const call of guarded()) {
        const { code, body } = await send(call, owned, headers);
        // Lists contain only data that the caller may see, which is the other experiment here.
        if (!code) expect([call.path, unbound.some((name) => call.path.endsWith(`/${name}`))]).toEqual([call.path, true]);
        else expect([call.path, rejected.includes(code), code]).toEqual([call.path, true, code]);
        expect([call.path, /secret/i.test(body), body.includes(owned.experimentId)]).toEqual([call.path, false, false]);
      }
    }
    expect(await state()).toBe(before);
  });

  it('are unknown to other workspaces: the same response as for missing objects', async () => {
    const nothing = {
      experimentId: experimentIdOf(randomBytes(11).toString('hex')),
      blobKey: writeBlobKey({
        experimentId: experimentIdOf(randomBytes(11).toString('hex')),
        seriesId: seriesIdOf('999999'),
        fileId: fileIdOf('999999'),
        ordinal: 0,
        index: 2,
      }),
      sequenceId: randomUUID(),
    };
    for (const call of guarded()) {
      const stranger = bearer((await service.tenant('Other')).token);
      const theirs = await send(call, owned, stranger);
      const none = await send(call, nothing, stranger);
      expect([call.path, /secret/i.test(theirs.body)]).toEqual([call.path, false]);
      const clean = ({ code, body }: Outcome, ids: typeof owned): unknown => [
        code,
        Object.entries(ids)
          .reduce((text, [name, id]) => text.replaceAll(id, name), body)
          .replaceAll(/[A-Za-z0-9]{22}/g, 'id'),
      ];
      if (call.path.endsWith('/GetUser')) continue; // says who asks
      expect([call.path, clean(theirs, owned)]).toEqual([call.path, clean(none, nothing)]);
    }
    expect(await state()).toBe(before);
  });
});
