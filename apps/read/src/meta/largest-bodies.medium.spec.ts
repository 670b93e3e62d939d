import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveRoutes, type LiveRoute } from '#http';
import { type ExperimentId, limits } from '#model';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { routeDocs } from './openapi.ts';

const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const filled = (one: string, bytes: number): string => Array.from({ length: Math.floor(bytes / (one.length + 1)) }, () => one).join(',');

/** Bodies that are cheap to send; `field` is a field that the route reads. */
const shapes: Readonly<Record<string, (field: string, bytes: number) => string>> = {
  'numbers for names': (field, bytes) => `{"${field}":[${filled('1', bytes)}]}`,
  'lists for names': (field, bytes) => `{"${field}":[${filled('[]', bytes)}]}`,
  'one number too many for the list': (field) => `{"${field}":[${filled('1', 2 * limits.maxNamesPerQuery + 2)}]}`,
  'wide numbers': (field, bytes) => `{"${field}":[${filled('1234567890123456789', bytes)}]}`,
  'many fields': (_, bytes) => `{${filled('"a":1', bytes)}}`,
  'a long text': (field, bytes) => `{"${field}":"${'x'.repeat(bytes)}"}`,
  'deep lists': (field, bytes) => `{"${field}":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
};

/*
 * No body of any shape causes more work than its size justifies: a body with too many values is
 * rejected before any of them is validated.
 */
describeWith(['postgres'], 'the largest bodies', () => {
  let service: ReadService;
  let owner: TestTenant;
  let experimentId: ExperimentId;
  let routes: LiveRoute[];
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    routes = liveRoutes(service.app).filter((route) => route.action !== null);
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
    experimentId = (await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'mine' } })).json.id;
  });
  afterAll(() => service?.close());

  const send = async (route: LiveRoute, body: string | Buffer, headers: Record<string, string> = {}) => {
    const path = route.path
      .replace(':experimentId', experimentId)
      .replace(':fileId', '1')
      .replace(/:([A-Za-z]+)/g, '00000000-0000-4000-8000-000000000000');
    const response = await fetch(`${service.base}${path}`, {
      method: route.method,
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json', ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });
    return { status: response.status, json: (await response.json()) as { code: string; errors?: unknown[] } };
  };
  /** Routes with a JSON body, and a field of each. */
  const taking = () =>
    routes.flatMap((route) => {
      const doc = routeDocs.find((one) => key(one) === key(route));
      const field = doc?.body?.schema && doc.body.mediaType === undefined ? Object.keys(doc.body.example ?? {})[0] : undefined;
      return field === undefined ? [] : [{ route, field }];
    });

  it.each(Object.keys(shapes))(
    'of %s are rejected on every route, with a short response',
    async (name) => {
      expect(taking().length).toBeGreaterThan(15);
      for (const { route, field } of taking())
        for (const bytes of [limits.maxJsonBodyBytes - 1_000, limits.maxQueryBodyBytes - 1_000]) {
          const { status, json } = await send(route, shapes[name]!(field, bytes));
          expect([400, 413], `${key(route)}: ${json.code}`).toContain(status);
          expect(json.errors?.length ?? 0).toBeLessThanOrEqual(10);
        }
    },
    240_000,
  );

  it('are not decompressed', async () => {
    const bomb = gzipSync(Buffer.from(`{"name":"${'x'.repeat(2 ** 20)}"}`));
    for (const { route } of taking())
      for (const encoding of ['gzip', 'br', 'deflate', 'zstd'])
        expect(await send(route, bomb, { 'content-encoding': encoding })).toMatchObject({
          status: 415,
          json: { code: 'unsupported-encoding' },
        });
  }, 60_000);
});
