import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type LiveRoute, liveRoutes } from '#http';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { routeDocs } from './openapi.ts';

/*
 * Reliability test 42: no body accepts a column of a table that is not one of its fields, and an
 * attempt changes nothing.
 */

const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describeWith(['postgres'], 'a body with an unknown field', () => {
  let service: ReadService;
  let owner: TestTenant;
  let experimentId: ExperimentId;
  let columns: string[];
  let routes: LiveRoute[];
  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    routes = liveRoutes(service.app);
    owner = await service.tenant('Lab');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 999999999)', [owner.tenantId]);
    experimentId = (await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'mine' } })).json.id;
    const rows = await service.sql(
      `select distinct column_name as name from information_schema.columns where table_schema = 'public' order by 1`,
    );
    columns = rows.map(({ name }) => String(name));
    expect(columns).toEqual(expect.arrayContaining(['tenant_id', 'role', 'owner_id', 'state', 'visibility', 'requested_by']));
  });
  afterAll(() => service?.close());

  it('is rejected regardless of the field, on every route, and changes nothing', async () => {
    const taking = routes.flatMap((route) => {
      const doc = routeDocs.find((one) => key(one) === key(route));
      const schema = doc?.body?.schema;
      return schema && route.action !== null && doc.body?.mediaType === undefined
        ? [{ route, schema, example: doc.body?.example ?? {} }]
        : [];
    });
    expect(taking.length).toBeGreaterThan(15);
    const state = async () =>
      service.sql(
        `select (select json_agg(e) from experiment e) as experiments, (select json_agg(m) from workspace_member m) as members,
          (select json_agg(w) from workspace w) as workspaces, (select json_agg(p) from person p) as people, (select count(*) from deletion) as deletions,
          (select json_agg(to_jsonb(t) - 'last_used_at') from access_token t) as tokens, (select count(*) from invitation) as invitations,
          (select count(*) from share_link) as links, (select count(*) from event_file) as files`,
      );
    const before = await state();
    let tried = 0;
    for (const { route, schema, example } of taking) {
      const fields = fieldsOf(schema);
      const path = route.path
        .replace(':experimentId', experimentId)
        .replace(':fileId', '1')
        .replace(/:([A-Za-z]+)/g, '00000000-0000-4000-8000-000000000000');
      for (const column of columns.filter((name) => !fields.has(name))) {
        const body = { ...example, [column]: column === 'tenant_id' ? owner.tenantId : 'x' };
        const { status, json } = await service.call(owner, route.method, path, { body });
        expect([key(route), column, status, json.code]).toEqual([key(route), column, 400, 'unknown-field']);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(2_000);
    expect(await state()).toEqual(before);
  }, 240_000);
});

/** The field names of a schema, in any of its variants. */
function fieldsOf(schema: z.ZodType): Set<string> {
  const document = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('properties' in value && typeof value.properties === 'object')
      for (const name of Object.keys(value.properties ?? {})) names.add(name);
    for (const inner of Object.values(value)) collect(inner);
  };
  collect(JSON.parse(document));
  return names;
}
