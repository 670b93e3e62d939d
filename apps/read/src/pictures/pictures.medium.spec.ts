import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

type Pixel = readonly [number, number];

/** The points of a path. Most are relative to the previous point. */
function pixelsOf(path: string): Pixel[] {
  const [x = 0, y = 0, ...moves] = path.match(/-?\d+(\.\d+)?/g)!.map(Number);
  const pixels: Pixel[] = [[x, y]];
  for (let i = 0; i + 1 < moves.length; i += 2) {
    const [left, top] = pixels.at(-1)!;
    pixels.push([left + moves[i]!, top + moves[i + 1]!]);
  }
  return pixels;
}

describeWith(['postgres'], 'charts as images', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: ExperimentId;
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
    for (const name of ['a', 'b', 'c', 'd']) {
      const runId = await world.run(`run ${name}`);
      const fileId = await world.file(runId, 'events.1');
      await world.storePoints(await world.series(runId, 'runs'), [{ fileId, points: pointsOf([[0, 0, 1] as const, [1, 1, 2] as const]) }]);
      await service.sql(
        'insert into run_state (tenant_id, run_id, experiment_id, events, status, hparams) values ($1, $2, $3, 1, $4, $5)',
        [tenant.tenantId, runId, id, 'finished', '{}'],
      );
      if (name === 'd')
        await service.sql('update run set archived_at = now() where tenant_id = $1 and run_id = $2', [tenant.tenantId, runId]);
      if (name !== 'a') continue;
      const waves = Array.from({ length: 20_000 }, (_, i) => [i, i, 50 + 40 * Math.sin((2 * Math.PI * i) / 1000)] as const);
      await world.storePoints(await world.series(runId, 'long'), [{ fileId, points: pointsOf(waves) }]);
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

  it('are as detailed at the first steps of a logarithmic axis as at its last ones, also zoomed', async () => {
    for (const [range, last] of [
      ['', 19_999],
      ['&from=1&to=1000', 1000],
    ] as const) {
      const { text } = await get(`long.svg?smoothing=0&xScale=log&y=0..100:long${range}`);
      const line = pixelsOf([...text.matchAll(/stroke-width="1\.5"[^>]* d="([^"]*)"/g)].at(-1)![1]!);
      const wide = Number(/<svg x="[\d.]+" y="[\d.]+" width="([\d.]+)"/.exec(text)![1]);
      const inside = line.filter(([x]) => x >= -0.1 && x <= wide + 0.1);
      // Steps 1 and 2 are separate points; step 1 is at the edge
      const placeOf = (step: number): number => (Math.log10(step) / Math.log10(last)) * wide;
      for (const step of [1, 2, 3, 5, 10]) {
        const nearest = inside.reduce((a, b) => (Math.abs(b[0] - placeOf(step)) < Math.abs(a[0] - placeOf(step)) ? b : a));
        expect(Math.abs(nearest[0] - placeOf(step))).toBeLessThan(2);
      }
      const gaps = inside.slice(1).map(([x], i) => x - inside[i]![0]);
      // Buckets of single steps are the widest
      expect(Math.max(...gaps.slice(20))).toBeLessThan(placeOf(22) - placeOf(20));
    }
  });

  it('show what the address requests', async () => {
    const { text } = await get('val/loss.svg?run=run/a&smoothing=0&theme=dark&width=300&height=200&from=10&to=20&yScale=symlog');
    expect(text).toContain('width="300" height="200"');
    expect(text).toContain('fill="#121211"');
    expect(text).not.toContain('run/&lt;b&gt;');
    expect((await get('long.svg?run=run%20b')).text).toContain('No points to show');
    for (const ending of ['svg', 'png', 'csv'])
      for (const nothing of [`val/loss.${ending}?run=none`, `val/los.${ending}`]) expect((await get(nothing)).status).toBe(404);
    expect((await get('val/loss.svg?runFilter=.*')).status).toBe(400);
    await world.storePoints(await world.series(await world.run('=1+1'), '@sum'), [
      { fileId: await world.file(await world.run('other'), 'events.1'), points: pointsOf([[0, 0, 1] as const]) },
    ]);
    for (const [query, row] of [
      ['', '=1+1,@sum,0,'],
      ['?guardFormulas=true', "'=1+1,'@sum,0,"],
    ] as const)
      expect((await get(`@sum.csv${query}`)).text.split('\r\n')[1]).toContain(row);
    expect((await get('val/loss.png?width=2000&height=2000&scale=3')).status).toBe(400);
  });

  it('show the runs that the page shows', async () => {
    const legend = async (query: string) =>
      [...(await get(`runs.svg${query}`)).text.matchAll(/>run (\w)</g)].map(([, name]) => name).join('');
    expect(await legend('')).toBe('abc');
    expect(await legend('?hide=run%20b')).toBe('ac');
    expect(await legend('?run=run%20a&run=run%20b&hide=run%20a')).toBe('ab');
    expect(await legend('?archived=true')).toBe('abcd');
    const rows = (await get('runs.csv?hide=run%20b')).text.split('\r\n').slice(1, -1);
    expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(new Set(['run a', 'run c']));
    const ofThePage = '?tab=scalars&tagFilter=.*&pinnedCards=[]&tooltipSort=nearest&fold=x&hide=run%20b&card=loss';
    expect(await legend(ofThePage)).toBe('ac');
  });

  /** From the lowest to the highest point of the visible part. */
  const swing = (line: readonly Pixel[], from: number, to: number): number => {
    const seen = line.filter(([x]) => x >= from && x <= to).map(([, y]) => y);
    return Math.max(...seen) - Math.min(...seen);
  };

  it('are detailed when zoomed, with the same smoothing', async () => {
    /** Pixels of the smooth line in a plot of 340 by 340, for the values 0 to 100. */
    const lineOf = async (query: string) => {
      const { text } = await get(`long.svg?smoothing=0.9&width=400&height=400&y=0..100:long&${query}`);
      return pixelsOf([...text.matchAll(/stroke-width="1\.5"[^>]* d="([^"]*)"/g)].at(-1)![1]!);
    };
    for (const axis of ['step', 'relative', 'wall']) {
      const [whole, part] = [await lineOf(`xAxis=${axis}`), await lineOf(`xAxis=${axis}&from=10000&to=12000`)];
      expect(part.filter(([x]) => x >= 0 && x <= 340).length).toBeGreaterThan(150);
      expect(part[0]![0]).toBeLessThan(0);
      expect(swing(part, 100, 340) / swing(whole, 100, 340)).toBeGreaterThan(0.8);
      expect(swing(part, 100, 340) / swing(whole, 100, 340)).toBeLessThan(1.25);
    }
  });

  it('show the points of a zoomed range of steps beyond 2^53', async () => {
    const start = 10n ** 18n;
    const runId = await world.run('run/far');
    const points = pointsOf(Array.from({ length: 20_000 }, (_, i) => [start + BigInt(i * 128), i, Math.cos(i)] as const));
    await world.storePoints(await world.series(runId, 'far'), [{ fileId: await world.file(runId, 'events.2'), points }]);
    const { text } = await get(`far.svg?smoothing=0&from=${start + 12_800n}&to=${start + 25_600n}`);
    const wide = Number(/<svg x="[\d.]+" y="[\d.]+" width="([\d.]+)"/.exec(text)![1]);
    const line = pixelsOf([...text.matchAll(/stroke-width="1\.5"[^>]* d="([^"]*)"/g)].at(-1)![1]!);
    expect(line.filter(([x]) => x >= -0.1 && x <= wide + 0.1)).toHaveLength(101);
    const labels = [...text.matchAll(/text-anchor="middle"[^>]*>([^<]+)</g)].map(([, label]) => label);
    expect(labels).toEqual(['1,000,000,000,000,019,968']); // a multiple of 128, like float64 values of this size
  });

  it('are on the page before its script runs, with the same smoothed lines', async () => {
    const lineOf = async (query: string) => {
      const { text } = await service.call(tenant, 'GET', `/e/${id}?smoothing=0.9&y=0..100:long&${query}`);
      const [, chart] = /data-tag="long">(.*?)<svg class="x-labels"/s.exec(text)!;
      return pixelsOf([...chart!.matchAll(/stroke-width="1\.5"[^>]* d="([^"]*)"/g)].at(-1)![1]!);
    };
    const [whole, part] = [await lineOf(''), await lineOf('from=10000&to=12000')];
    expect(part[0]![0]).toBeLessThan(0);
    expect(swing(part, 300, 1000) / swing(whole, 300, 1000)).toBeGreaterThan(0.8);
    expect(swing(part, 300, 1000) / swing(whole, 300, 1000)).toBeLessThan(1.25);
  });

  it('are also PNGs, at twice the requested size by default', async () => {
    for (const [query, width] of [
      ['?width=300&height=200', 600],
      ['?width=300&height=200&scale=1&theme=dark', 300],
    ] as const) {
      const response = await fetch(`${service.base}/e/${id}/val/loss.png${query}`, {
        headers: { authorization: `Bearer ${tenant.token}` },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      const png = Buffer.from(await response.arrayBuffer());
      expect([png.toString('latin1', 1, 4), png.readUInt32BE(16)]).toEqual(['PNG', width]);
      expect(png.length).toBeGreaterThan(4_000); // lines and letters, not a blank image
    }
  });

  it('are also tables', async () => {
    const { text, headers } = await get('val/loss.csv?run=run/a');
    expect(headers.get('content-type')).toContain('text/csv');
    expect(text.split('\r\n').slice(0, 2)).toEqual(['run,tag,step,wall_time,value', 'run/a,val/loss,0,0.0,1.0']);
  });

  it('are 304 while unchanged', async () => {
    const tag = (await get('val/loss.svg')).headers.get('etag')!;
    expect((await get('val/loss.svg', tenant, { 'if-none-match': tag })).status).toBe(304);
  });

  it('are visible only to those who may see the experiment', async () => {
    const stranger = await service.tenant('Stranger');
    const responses = [await get('val/loss.svg', stranger), await get('val/loss.svg', null), await get('val/loss.gif'), await get('x')];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});
