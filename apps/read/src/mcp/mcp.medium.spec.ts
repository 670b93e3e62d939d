import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignInLink, createToken, signIn } from '#auth';
import { limits } from '#model';
import { experimentIdOf } from '#model/testing';
import { describeWith } from '#testing';
import { type ApiResponse, type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'the tools for agents over HTTP', () => {
  let service: ReadService;
  let owner: TestTenant;
  let stranger: TestTenant;
  let id: string;
  let other: string;

  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant('Lab');
    stranger = await service.tenant('Other');
    const runs = await StoredRuns.start(service, owner);
    id = runs.experimentId;
    await runs.series(await runs.run('secret-run'), { tag: 'secret-tag', points: 3 });
    other = (await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'secret-other' } })).json.id;
  });
  afterAll(() => service?.close());

  const message = (name: string, input: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const post = (as: TestTenant | null, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    service.call(as, 'POST', '/mcp', { body, headers });
  const tool = async (as: TestTenant | null, name: string, input: object, headers = {}) => {
    const { status, json } = await post(as, message(name, input), headers);
    expect([name, status]).toEqual([name, 200]);
    return {
      isError: json.result.isError === true,
      json: JSON.parse(json.result.content[0].text),
      text: json.result.content[0].text as string,
    };
  };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const everyTool = (experiment: string): [string, object][] => [
    ['list_runs', { experiment }],
    ['describe_experiment', { experiment }],
    ['get_curve', { experiment, run: 'secret-run', tag: 'secret-tag' }],
    ['compare_runs', { experiment, runs: ['secret-run', 'x'] }],
    ['diff_configs', { experiment, runs: ['secret-run', 'x'] }],
    ['list_problems', { experiment }],
  ];

  it('answer a message with JSON and keep no session', async () => {
    const { status, json, headers } = await post(owner, list);
    expect(status).toBe(200);
    expect(json.result.tools.map(({ name }: Loose) => name)).toEqual(['list_experiments', ...everyTool('').map(([name]) => name)]);
    expect([headers.get('mcp-session-id'), headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect((await tool(owner, 'list_experiments', {})).json.experiments.map((one: Loose) => one.id)).toEqual([other, id]);
    expect((await post(owner, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect((await tool(owner, 'describe_experiment', { experiment: id })).json).toMatchObject({
      runs: { total: 1 },
      series: { scalar: 1 },
      points: 3,
    });
  });

  it('ask for credentials as the protocol requires', async () => {
    const wrong: Record<string, string>[] = [{}, { authorization: `Bearer plt_${'0'.repeat(36)}` }, { 'plotline-share': 'x'.repeat(30) }];
    for (const headers of wrong) {
      const response = await post(null, list, headers);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="plotline"']);
    }
    const session = await signIn(service.store, await createSignInLink(service.store, owner));
    const cookie = { cookie: `plotline_session=${session!.secret}`, host: '127.0.0.1' };
    expect((await post(null, list, { ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(401);
    const { status, headers } = await service.call(owner, 'GET', '/mcp');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('reject pages of other origins, also by DNS rebinding', async () => {
    const response = await post(owner, list, { origin: 'http://evil.example' });
    expect([response.status, response.json.code]).toEqual([403, 'forbidden']);
    expect((await post(owner, list, { origin: 'http://plots.example' })).status).toBe(200);
  });

  it('show nothing to another workspace', async () => {
    expect((await tool(stranger, 'list_experiments', {})).json).toEqual({ experiments: [] });
    for (const [name, input] of everyTool(id)) {
      const { isError, json, text } = await tool(stranger, name, input);
      const missing = await tool(stranger, name, { ...input, experiment: 'A'.repeat(22) });
      expect([name, isError, json.error.code, text]).toEqual([name, true, 'experiment-not-found', missing.text]);
    }
  });

  it('show a limited token only its experiments, and nothing without the read scope', async () => {
    const limited = { ...owner, token: await createToken(service.store, { ...owner, name: 'one', experiments: [experimentIdOf(id)] }) };
    expect((await tool(limited, 'list_experiments', {})).json.experiments.map((one: Loose) => one.id)).toEqual([id]);
    expect((await tool(limited, 'describe_experiment', { experiment: other })).json.error.code).toBe('experiment-not-found');
    const uploads = { ...owner, token: await createToken(service.store, { ...owner, name: 'up', scopes: ['upload'] }) };
    expect((await post(uploads, list)).status).toBe(403);
  });

  it('bound their inputs', async () => {
    expect((await post(owner, [list, list])).json.code).toBe('bad-request');
    expect((await post(owner, { ...list, params: { x: 'x'.repeat(limits.maxJsonBodyBytes) } })).status).toBe(413);
    expect((await post(owner, { hello: 1 })).json.code).toBe('bad-request');
    expect((await post(owner, list, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    const long = await post(owner, message('get_curve', { experiment: id, run: 'x'.repeat(limits.maxTagBytes + 1), tag: 't' }));
    expect(long.json.result.isError).toBe(true);
    expect((await post(owner, message('list_runs', { experiment: id, page_size: 51 }))).json.result.isError).toBe(true);
    expect(
      (await post(owner, message('compare_runs', { experiment: id, runs: Array.from({ length: 11 }, (_, i) => `r${i}`) }))).json.result
        .isError,
    ).toBe(true);
    expect((await post(owner, message('delete_experiment', { experiment: id }))).json).toMatchObject({ result: { isError: true } });
  });

  it('count against the request quota of the workspace', async () => {
    const busy = await service.tenant('Busy');
    await service.sql('insert into workspace_limits (tenant_id, requests_per_minute) values ($1, 2)', [busy.tenantId]);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(busy, list)).status);
    expect(statuses).toContain(429);
  });
});
