import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LiveRoute, liveRoutes } from '#http';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { routeDocs } from './openapi.ts';

/*
 * Postgres stores no NUL. Wherever a request can contain it, the request is rejected or finds
 * nothing; it never causes an internal error.
 */

const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const nul = 'a\0b';

describeWith(['postgres'], 'a NUL character', () => {
  let service: ReadService;
  let owner: TestTenant;
  let experimentId: ExperimentId;
  let routes: LiveRoute[];
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    routes = liveRoutes(service.app).filter(({ path }) => !path.endsWith('/events'));
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
    experimentId = (await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'mine' } })).json.id;
  });
  afterAll(() => service?.close());

  const pathOf = ({ path }: LiveRoute): string =>
    path.replace(':experimentId', experimentId).replace(/:([A-Za-z]+)/g, '00000000-0000-4000-8000-000000000000');

  it('in any text of any body causes no internal error', async () => {
    let tried = 0;
    for (const route of routes) {
      const doc = routeDocs.find((one) => key(one) === key(route));
      if (!doc?.body?.example || doc.body.mediaType !== undefined) continue;
      for (const body of withNul(doc.body.example)) {
        const { status } = await service.call(owner, route.method, pathOf(route), { body });
        expect([key(route), JSON.stringify(body), status < 500]).toEqual([key(route), JSON.stringify(body), true]);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(30);
    for (const [path, body] of [
      ['/service-accounts', { name: nul, role: 'member' }],
      ['/workspaces', { name: nul }],
      ['/tokens', { name: nul }],
      ['/experiments', { name: nul }],
    ] as const)
      expect([path, (await service.call(owner, 'POST', `/api/v1${path}`, { body })).status]).toEqual([path, 400]);
    const account = await service.call(owner, 'POST', '/api/v1/service-accounts', { body: { name: 'ci', role: 'member' } });
    const tokens = `/api/v1/service-accounts/${account.json.id}/tokens`;
    expect((await service.call(owner, 'POST', tokens, { body: { name: nul } })).status).toBe(400);
  }, 120_000);

  it('in an address, a query or a form causes none either, with or without credentials', async () => {
    for (const route of routes) {
      const parameters = [...route.path.matchAll(/:[A-Za-z]+/g)].map(([name]) => name);
      const paths = parameters.map((name) => pathOf({ ...route, path: route.path.replace(name, 'a%00b') }));
      const doc = routeDocs.find((one) => key(one) === key(route));
      for (const name of Object.keys(doc?.query?.shape ?? {})) paths.push(`${pathOf(route)}?${name}=a%00b`);
      for (const path of paths)
        for (const who of [owner, null]) {
          const { status } = await service.call(who, route.method, path, {});
          expect([key(route), path, status < 500]).toEqual([key(route), path, true]);
        }
    }
    for (const path of ['/device', '/api/v1/device', '/api/v1/token', '/api/v1/revoke']) {
      for (const fields of [
        'client_id=a%00b&scope=a%00b&client_name=a%00b&device_name=a%00b',
        'user_code=a%00b',
        'token=a%00b',
        'grant_type=a%00b&device_code=a%00b',
      ]) {
        const { status } = await fetch(`${service.base}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
        expect([path, fields, status < 500]).toEqual([path, fields, true]);
      }
    }
  }, 120_000);
});

/** Copies of the example, each with a NUL in another string or list of strings. */
function* withNul(value: unknown): Generator {
  if (typeof value === 'string') yield nul;
  else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) for (const changed of withNul(item)) yield value.with(i, changed);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) for (const changed of withNul(inner)) yield { ...value, [name]: changed };
  }
}
