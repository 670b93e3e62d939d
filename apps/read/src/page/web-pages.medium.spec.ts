import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const hostile = `<img src=x onerror=alert(1)>"'&\u202e</script><script>alert(2)</script>{{7*7}}`;

/** The initial data of the page. */
const dataOf = (text: string) => JSON.parse(/<script type="application\/json" id="page-data">([^<]*)<\/script>/.exec(text)![1]!);
const drawn = (text: string) => /<div id="page">(.*?)<\/div>\s*<noscript>/s.exec(text)![1]!;

describeWith(['postgres'], 'pages', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: ExperimentId;
  let world: SeriesWorld;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant(hostile);
    const body = { name: hostile.slice(0, 100), description: hostile, labels: [hostile.slice(0, 100)] };
    id = (await service.call(tenant, 'POST', '/api/v1/experiments', { body })).json.id;
    world = await SeriesWorld.over({ database: service.database, tenantId: tenant.tenantId, experimentId: id });
    const runId = await world.run(hostile);
    const fileId = await world.file(runId, 'events.1');
    await service.sql('insert into run_state (tenant_id, run_id, experiment_id, events, status, hparams) values ($1, $2, $3, 1, $4, $5)', [
      tenant.tenantId,
      runId,
      id,
      'running',
      JSON.stringify({ [hostile]: hostile }),
    ]);
    for (const tag of ['loss', hostile])
      await world.storePoints(await world.series(runId, tag), [
        { fileId, points: pointsOf(Array.from({ length: 50 }, (_, i) => [i, i, Math.sin(i)] as const)) },
      ]);
  });
  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  const get = (path: string, as: TestTenant | null = tenant, headers: Record<string, string> = {}) =>
    service.call(as, 'GET', path, { headers });

  it('run and load only files of this service', async () => {
    for (const path of ['/', `/e/${id}`, '/members', '/tokens', '/usage', '/sessions', '/workspaces', '/e/nothing']) {
      const { status, text, headers } = await get(path);
      expect([path, status]).toEqual([path, path === '/e/nothing' ? 404 : 200]);
      const policy = headers.get('content-security-policy')!;
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(style|on[a-z]+)=/i);
      for (const [, source] of text.matchAll(/(?:src|href)="([^"]*)"/g)) expect(source).toMatch(/^\/(?!\/)/);
      const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes!);
      expect(scripts.filter((attributes) => !attributes.includes('application/json'))).toEqual([
        expect.stringMatching(/^ type="module" src="\/assets\/main-[A-Za-z0-9_-]+\.js"$/),
      ]);
    }
  });

  it('are not found for a name of a run that is longer than any', async () => {
    const status = async (name: string) => (await get(`/e/${id}/r/${encodeURIComponent(name)}`)).status;
    const names = ['unknown', 'x'.repeat(4_096), 'x'.repeat(4_097), 'ü'.repeat(2_049)];
    expect(await Promise.all(names.map(status))).toEqual([200, 200, 404, 404]);
  });

  it('start with their content, for all kinds of names', async () => {
    const { text } = await get(`/e/${id}`);
    expect(text).not.toMatch(/<img|<script>|\u202e/);
    const { experiment, reader } = dataOf(text);
    expect(reader).toMatchObject({ workspace: hostile, person: 'Ada' });
    expect(experiment.experiment.description).toBe(hostile);
    expect(experiment.runs).toMatchObject([{ run: hostile, status: 'running', hparams: { [hostile]: hostile } }]);
    expect(experiment.tags.map(({ tag }: { tag: string }) => tag).sort()).toEqual([hostile, 'loss'].sort());
  });

  it('report that something in the files could not be read, and link to it', async () => {
    const lab = await service.tenant('Lab');
    const own = (await service.call(lab, 'POST', '/api/v1/experiments', { body: { name: 'damaged' } })).json.id;
    const of = await SeriesWorld.over({ database: service.database, tenantId: lab.tenantId, experimentId: own });
    try {
      const runId = await of.run('train');
      await service.sql('insert into run_state (tenant_id, run_id, experiment_id, events) values ($1, $2, $3, 1)', [
        lab.tenantId,
        runId,
        own,
      ]);
      const fileId = await of.file(runId, 'events.1');
      await of.storePoints(await of.series(runId, 'loss'), [{ fileId, points: pointsOf([[1, 1, 1]] as const) }]);
      const problem = (offset: number) =>
        service.sql(
          `insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
           values ($1, $2, $3, 0, $4, $5, 'stored-bytes-lost', 'An object of it is gone.', 10, true)`,
          [lab.tenantId, fileId, offset, runId, own],
        );
      const whole = drawn((await get(`/e/${own}`, lab)).text);
      expect(whole).toContain('<h1>damaged</h1>');
      expect(whole).not.toContain('in files');
      await problem(40);
      await problem(90);
      const page = drawn((await get(`/e/${own}`, lab)).text);
      const [, address] = /<a class="bad" href="([^"]+)">2 problems in files<\/a>/.exec(page)!;
      const { text } = await get(address!, lab);
      expect(text).toContain('events.1, byte 90: stored-bytes-lost. An object of it is gone.');
    } finally {
      await of.close();
    }
  });

  it('arrive with the first charts drawn', async () => {
    const page = drawn((await get(`/e/${id}`)).text);
    expect(page.match(/<article/g)).toHaveLength(2);
    expect(page.match(/<svg class="plot"/g)).toHaveLength(2);
    expect(page).toContain('data-tag="loss"');
    expect(drawn((await get(`/e/${id}?smoothing=0`)).text).length).toBeLessThan(page.length);
    expect(drawn((await get(`/e/${id}?hide=${encodeURIComponent(hostile)}`)).text)).not.toContain('<svg class="plot"');
    expect(drawn((await get(`/e/${id}?from=10&to=20`)).text)).toContain('<svg class="plot"');
  });

  it('include the permissions of their reader, and no more', async () => {
    const viewer = await addMember(service, tenant, 'viewer');
    const { reader } = dataOf((await get('/members', viewer)).text);
    expect(reader).toMatchObject({ id: viewer.personId, role: 'viewer', person: 'viewer' });
    expect(reader.may).toEqual(expect.arrayContaining(['member.list', 'token.manage']));
    for (const action of ['member.manage', 'experiment.update', 'experiment.share']) expect(reader.may).not.toContain(action);
    expect(dataOf((await get('/tokens')).text).reader.mayToOthers).toEqual(expect.arrayContaining(['experiment.share', 'token.manage']));
    expect(dataOf((await get('/usage', viewer)).text).usage.quotas.experiments.used).toBe(1);
  });

  it('evaluate regular expressions in the browser', async () => {
    for (const pattern of ['.', '(.*)*(.*)*(.*)*x\\1'])
      // on the server, matching the second pattern would never end
      for (const name of ['runFilter', 'tagFilter'])
        expect(drawn((await get(`/e/${id}?${name}=${encodeURIComponent(pattern)}`)).text)).toBe('');
  });

  it.each([
    'from=-9223372036854775808&to=9223372036854775807',
    'from=1e308&to=1.5e308',
    'smoothing=1e9',
    'pinnedCards=[[[',
    'xAxis=relative&from=1&to=2',
  ])('accept any address: %s', async (query) => expect((await get(`/e/${id}?${query}`)).status).toBe(200));

  it('link browsers without scripts to tables', async () => {
    const { text } = await get(`/e/${id}`);
    const [, noscript] = /<\/div>\s*<noscript>(.*?)<\/noscript>/s.exec(text)!;
    expect(noscript).toContain(`url=/e/${id}?plain`);
    expect((await get('/')).text).toContain('url=/?plain');
  });

  it('are compressed for browsers that accept it', async () => {
    const send = (path: string, encoding: string): Promise<{ encoding: string | undefined; bytes: Buffer }> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${tenant.token}`, 'accept-encoding': encoding };
        const sent = request(service.base + path, { headers }, (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject);
          response.on('end', () => resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(pieces) }));
        });
        sent.on('error', reject).end();
      });
    const script = /src="(\/assets\/[^"]+)"/.exec((await get('/')).text)![1]!;
    for (const path of [`/e/${id}`, script]) {
      const plain = await send(path, 'identity');
      const br = await send(path, 'br, gzip');
      const gzip = await send(path, 'gzip');
      expect([plain.encoding, br.encoding, gzip.encoding]).toEqual([undefined, 'br', 'gzip']);
      expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      expect(br.bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
  });

  it('have immutable files, and nothing else is cached', async () => {
    const { text } = await get('/');
    const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const { status, headers } = await get(path, null);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of ['/assets/manifest.json', '/assets/..%2fserver%2fserver.js', '/assets/%2e%2e%2fpackage.json', '/assets/none.js'])
      expect([path, (await get(path, null)).status]).toEqual([path, 404]);
  });
});
