import { afterAll, beforeAll, expect, it } from 'vitest';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'charts as pictures', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;
  let world: SeriesWorld;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    id = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    world = await SeriesWorld.over({ database: service.database, tenantId: tenant.tenantId, experimentId: id });
    for (const run of ['run/a', 'run/<b>']) {
      const runId = await world.run(run);
      const fileId = await world.file(runId, 'events.1');
      for (const tag of ['val/loss', 'a b%.svg', ''])
        await world.storePoints(await world.series(runId, tag), [
          { fileId, points: pointsOf(Array.from({ length: 300 }, (_, i) => [i, i, Math.cos(i / 50)] as const)) },
        ]);
    }
  });
  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  const get = (path: string, as: TestTenant | null = tenant, headers: Record<string, string> = {}) =>
    service.call(as, 'GET', `/e/${id}/${path}`, { headers });

  it('are at the address of their tag, with its slashes', async () => {
    const { status, text, headers } = await get('val/loss.svg');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="720" height="440"/);
    expect(text).toContain('aria-label="val/loss"');
    expect(text).toContain('run/&lt;b&gt;');
    expect(text).not.toContain('<b>');
    for (const name of [encodeURIComponent('a b%.svg'), '']) expect((await get(`${name}.svg`)).status).toBe(200);
  });

  it('show what the address asks for', async () => {
    const { text } = await get('val/loss.svg?run=run/a&smoothing=0&theme=dark&width=300&height=200&from=10&to=20&yScale=symlog');
    expect(text).toContain('width="300" height="200"');
    expect(text).toContain('fill="#121211"');
    expect(text).not.toContain('run/&lt;b&gt;');
    expect((await get('val/loss.svg?run=none')).text).toContain('No points to show');
    expect((await get('val/loss.svg?runFilter=.*')).status).toBe(400);
    expect((await get('val/loss.png?width=2000&height=2000&scale=3')).status).toBe(400);
  });

  it('are also pixels, twice as many as asked for unless told', async () => {
    for (const [query, width] of [
      ['?width=300&height=200', 600],
      ['?width=300&height=200&scale=1&theme=dark', 300],
    ] as const) {
      const answer = await fetch(`${service.base}/e/${id}/val/loss.png${query}`, { headers: { authorization: `Bearer ${tenant.token}` } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      const png = Buffer.from(await answer.arrayBuffer());
      expect([png.toString('latin1', 1, 4), png.readUInt32BE(16)]).toEqual(['PNG', width]);
      expect(png.length).toBeGreaterThan(4_000); // lines and letters, not a white sheet
    }
  });

  it('are also tables', async () => {
    const { text, headers } = await get('val/loss.csv?run=run/a');
    expect(headers.get('content-type')).toContain('text/csv');
    expect(text.split('\r\n').slice(0, 2)).toEqual(['run,tag,step,wall_time,value', 'run/a,val/loss,0,0,1']);
  });

  it('are not sent again while they are the same', async () => {
    const tag = (await get('val/loss.svg')).headers.get('etag')!;
    expect((await get('val/loss.svg', tenant, { 'if-none-match': tag })).status).toBe(304);
  });

  it('are seen by those alone who may see the experiment', async () => {
    const stranger = await service.tenant('Stranger');
    const answers = [await get('val/loss.svg', stranger), await get('val/loss.svg', null), await get('val/loss.gif'), await get('x')];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});
