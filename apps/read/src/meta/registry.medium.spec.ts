import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignInLink, signIn } from '#auth';
import { liveRoutes, type LiveRoute, publicRoutes } from '#http';
import { fileIdOf } from '#model/testing';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';
import { openApiDocument, routeDocs } from './openapi.ts';

const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Headers of a range with the two bytes `{}`. */
const appendHeaders = {
  'content-type': 'application/octet-stream',
  'upload-offset': '10',
  'content-digest': `sha-256=:${createHash('sha256').update('{}').digest('base64')}:`,
};

describeWith(['postgres'], 'every live route', () => {
  let service: ReadService;
  let routes: LiveRoute[];
  let owner: TestTenant;
  let stranger: TestTenant;
  /** The owner's objects: a value for each parameter of a path. */
  let owned: Record<string, string>;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    routes = liveRoutes(service.app);
    owner = await service.tenant('Secret Lab');
    stranger = await service.tenant('Other');
    const { json } = await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'secret name' } });
    const runs = new StoredRuns(service, owner, json.id);
    const run = await runs.run('secret run');
    const seriesId = await runs.series(run, { tag: 'secret tag' });
    const fileId = await runs.file(run, 'secret file', { bytes: 10 });
    const blobKey = Buffer.from(JSON.stringify([1, json.id, seriesId, fileId, 0, 0])).toString('base64url');
    const invitationId = (await service.call(owner, 'POST', '/api/v1/invitations', { body: {} })).json.id;
    owned = {
      experimentId: json.id,
      fileId,
      key: blobKey,
      secret: 'x'.repeat(30),
      personId: owner.personId,
      invitationId,
      picture: 'secret%20tag.svg',
    };
  });
  afterAll(() => service?.close());

  const fill = (path: string, values: Record<string, string>) =>
    path.replace(/[:*]([A-Za-z]+)/g, (_, name: string) => values[name] ?? 'missing');
  /** The content of a response without the requested URL, to which the page links after sign-in. */
  const withoutNext = (text: string) => text.replaceAll(/\?next=[^"\\]*/g, '');
  const guarded = () => routes.filter((route) => !route.public);
  const send = async (route: LiveRoute, as: TestTenant | null, values: Record<string, string>, headers: Record<string, string> = {}) => {
    const example = routeDocs.find((doc) => key(doc) === key(route))?.body?.example;
    const body = ['POST', 'PATCH'].includes(route.method) ? (example ?? {}) : undefined;
    const range = /^PATCH .*\/files\/:fileId$/.test(key(route)) ? appendHeaders : {};
    const response = await service.call(as, route.method, fill(route.path, values), {
      ...(body && { body }),
      headers: { ...range, ...headers },
    });
    return { ...response, place: key(route) };
  };

  it('is in the OpenAPI document, and nothing else is', () => {
    const documented = routeDocs.map(key);
    expect([...documented].sort()).toEqual([...new Set(routes.map(key))].sort());
    expect(
      routeDocs
        .filter((doc) => doc.public)
        .map(key)
        .sort(),
    ).toEqual([...publicRoutes].sort());
  });

  it('is public exactly where the interface page says so', () => {
    expect(
      routes
        .filter((route) => route.public)
        .map(key)
        .sort(),
    ).toEqual([...publicRoutes].sort());
  });

  it('rejects missing, wrong and revoked credentials', async () => {
    const revoked = { ...(await service.tenant()), name: 'revoked' };
    await service.sql('update access_token set revoked_at = now() where tenant_id = $1', [revoked.tenantId]);
    const made: TestTenant = { ...owner, token: `plt_${'0'.repeat(36)}` };
    for (const route of guarded()) {
      for (const as of [null, made, revoked]) {
        const { place, status, text } = await send(route, as, owned);
        expect([place, status]).toEqual([place, route.page ? 404 : 401]);
        expect(withoutNext(text)).not.toMatch(/secret/i);
      }
    }
  });

  it('answers another workspace as if there were nothing, in the same words', async () => {
    const nothing = {
      experimentId: randomBytes(11).toString('hex'),
      fileId: fileIdOf('999999'),
      key: Buffer.from(JSON.stringify([1, randomBytes(11).toString('hex'), '1', '1', 0, 0])).toString('base64url'),
    };
    const places = guarded().filter((route) => route.path.includes(':'));
    expect(places.length).toBeGreaterThan(10);
    for (const route of places) {
      const theirs = await send(route, stranger, owned);
      const none = await send(route, stranger, nothing);
      expect([theirs.place, theirs.status]).toEqual([theirs.place, 404]);
      const words = ({ text, json }: { text: string; json: Loose }) => (json ? { ...json, request_id: '' } : text);
      const clean = (response: typeof theirs, values: Record<string, string>) =>
        withoutNext(JSON.stringify(words(response))).replaceAll(values.experimentId!, 'ID');
      expect([theirs.place, clean(theirs, owned)]).toEqual([theirs.place, clean(none, nothing)]);
      expect(withoutNext(theirs.text)).not.toMatch(/secret/i);
      expect(theirs.headers.get('etag')).toBeNull();
    }
    const { json } = await service.call(stranger, 'GET', '/api/v1/experiments');
    expect(json.experiments).toEqual([]);
    expect((await service.call(stranger, 'GET', '/')).text).not.toMatch(/secret/i);
    expect((await service.call(owner, 'GET', `/api/v1/experiments/${owned.experimentId}`)).json.name).toBe('secret name');
  });

  it('lets a browser session change something only from our own pages', async () => {
    const session = await signIn(service.store, await createSignInLink(service.store, owner));
    const cookie = { cookie: `plotline_session=${session!.secret}` };
    const writing = guarded().filter((route) => !route.reads);
    expect(writing.map(key)).toContain('DELETE /api/v1/experiments/:experimentId');
    for (const route of writing) {
      const { place, status, json } = await send(route, null, owned, cookie);
      expect([place, status, json?.code ?? 'a page']).toEqual([place, 403, route.page ? 'a page' : 'forbidden']);
    }
    expect((await send({ method: 'GET', path: '/api/v1/experiments/:experimentId' } as LiveRoute, null, owned, cookie)).status).toBe(200);
  });

  it('cannot be reached by another spelling of its address', async () => {
    for (const route of guarded()) {
      const path = fill(route.path, owned);
      const spellings = [
        `/${path}`,
        path.replace('/api/', '/API/'),
        path.replace('/v1/', '/%761/'),
        `/.${path}`,
        `/x/..${path}`,
        path.replace('/api', '/api;x=1'),
        path.replace('/', '%2f'),
      ];
      if (path !== '/') spellings.push(`${path}/`);
      for (const spelling of spellings) {
        const { status, text } = await service.raw(route.method, spelling.startsWith('/') ? spelling : `/${spelling}`);
        expect([spelling, [401, 404].includes(status)]).toEqual([spelling, true]);
        expect(withoutNext(text)).not.toMatch(/secret/i);
      }
    }
  });

  it('survives ids of every form', async () => {
    const odd = [
      '%00',
      'a%00b',
      '..',
      '%2e%2e',
      '%2f',
      "'",
      '9223372036854775808',
      '-1',
      '1e3',
      '%F0%9F%98%80',
      'x'.repeat(2000),
      '%ff',
      '*',
      '{}',
      '%3Cscript%3E',
    ];
    for (const route of guarded().filter(({ path }) => path.includes(':'))) {
      for (const id of odd) {
        const path = route.path.replace(/[:*][A-Za-z]+/g, id);
        const { status } = await service.raw(route.method, path, { authorization: `Bearer ${owner.token}` });
        expect([path.slice(0, 100), status >= 400 && status < 500]).toEqual([path.slice(0, 100), true]);
      }
    }
  });

  it('has examples in the OpenAPI document that match its own schemas', () => {
    for (const doc of routeDocs) {
      if (doc.body?.schema && doc.body.example !== undefined)
        expect([key(doc), doc.body.schema.safeParse(doc.body.example).error]).toEqual([key(doc), undefined]);
      for (const response of doc.responses) {
        const schema = response.content?.['application/json'];
        if (!schema) continue;
        if (doc.path !== '/api/v1/openapi.json') expect([key(doc), response.example]).not.toEqual([key(doc), undefined]);
        if (response.example !== undefined) expect([key(doc), schema.safeParse(response.example).error]).toEqual([key(doc), undefined]);
      }
    }
    const ids = routeDocs.map((doc) => key(doc));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is described by a public document with its media type', async () => {
    const { status, json, headers } = await service.call(null, 'GET', '/api/v1/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual(openApiDocument('http://plots.example'));
    expect(json.openapi).toBe('3.1.0');
    const operations = Object.values(json.paths).flatMap((path) => Object.values(path as Record<string, Loose>));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      expect(operation.summary).toMatch(/^[A-Z]/);
      for (const code of Object.keys(operation.responses)) expect(code).toMatch(/^[2-5][0-9][0-9]$/);
    }
    const create = json.paths['/api/v1/experiments'].post;
    expect(create.requestBody.content['application/json'].schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { name: { type: 'string' } },
    });
    expect(create.parameters.map(({ name }: { name: string }) => name)).toContain('Idempotency-Key');
    expect(create.responses['401'].content['application/problem+json'].examples.unauthenticated.value.code).toBe('unauthenticated');
    expect(json.paths['/healthz'].get.security).toEqual([]);
  });

  it('returns its version, health, limits and caller', async () => {
    expect((await service.call(null, 'GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await service.call(null, 'GET', '/readyz')).json).toEqual({ status: 'ok' });
    const { json: server } = await service.call(null, 'GET', '/api/v1/server?client=99.0.0');
    expect(server).toMatchObject({
      name: 'plotline',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      verdict: 'ERROR',
      message: expect.stringContaining('99.0.0'),
    });
    expect((await service.call(null, 'GET', `/api/v1/server?client=${server.version}`)).json).toMatchObject({ verdict: 'OK', message: '' });
    expect((await service.call(null, 'GET', '/api/v1/limits')).json).toMatchObject({
      wireVersion: 1,
      oldestWireVersion: 1,
      maxRecordBytes: 67108864,
      maxPageSize: 1000,
    });
    expect((await service.call(owner, 'GET', '/api/v1/whoami')).json).toEqual({
      person: { id: owner.personId, name: 'Ada' },
      workspace: { id: owner.tenantId, name: 'Secret Lab' },
      role: 'owner',
      via: 'token',
      scopes: ['read', 'upload', 'manage', 'admin'],
      may_write: true,
    });
  });
});
