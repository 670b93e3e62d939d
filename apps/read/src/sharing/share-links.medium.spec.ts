import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSignInLink, signIn } from '#auth';
import { liveRoutes } from '#http';
import type { ExperimentId, SeriesId } from '#model';
import { experimentIdOf, fileIdOf, seriesIdOf } from '#model/testing';
import { writeBlobKey } from '#series';
import { describeWith } from '#testing';
import { routeDocs } from '../meta/openapi.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ApiResponse, type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

/* Reliability test 39. */

const hiddenValue = 987_654.25;
const png = (text: string): Uint8Array => Buffer.from(`\x89PNG\r\n\x1a\n${text.repeat(10)}`, 'latin1');
const steps = Array.from({ length: 20 }, (_, i) => BigInt(i));
/** Hidden names contain "secret"; visible names do not. */
const events = (value: number) =>
  steps.map((step) => ({
    step,
    values: [
      { tag: 'loss', scalar: value + Number(step) },
      { tag: 'secret/loss', scalar: hiddenValue },
      { tag: 'text', text: `words ${value}` },
      { tag: 'secret/text', text: 'secret words' },
      { tag: 'image', images: [png(`open ${value}`)] },
      { tag: 'secret/image', images: [png('secret')] },
    ],
  }));
/**
 * Hidden runs are first and last by name, id, start, end, length and value: a route that picks a
 * run without applying the view of a link picks one of these.
 */
const hiddenEvents = (value: number) =>
  Array.from({ length: 40 }, (_, i) => ({ step: BigInt(i - 10), values: [{ tag: 'loss', scalar: value }] }));
const hiddenRuns = { 'secret-run': hiddenEvents(-hiddenValue), 'z-secret-run': hiddenEvents(hiddenValue) };

describeWith(['postgres'], 'links to experiments', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let stranger: TestTenant;
  let experiment: ExperimentId;
  let other: ExperimentId;

  beforeAll(async () => {
    service = await startReadService('https://plots.example');
    logged = new LoggedExperiments(service);
    owner = await service.tenant('Secret Lab');
    stranger = await service.tenant('Other');
    await service.sql(`update person set display_name = 'Secret Ada' where person_id = $1`, [owner.personId]);
    const { 'secret-run': first, 'z-secret-run': last } = hiddenRuns;
    experiment = await logged.make(owner, { 'secret-run': first, shown: events(0), 'z-secret-run': last }, 'resnet');
    other = await logged.make(owner, hiddenRuns, 'secret experiment');
    await service.sql(`update run_state set hparams = '{"secret": 1}', status = 'failure', group_name = 'secret'`);
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const make = async (body: object = {}, as: TestTenant = owner, id = experiment): Promise<ApiResponse> =>
    service.call(as, 'POST', `/api/v1/experiments/${id}/share-links`, { body });
  const secretOf = (response: ApiResponse): string => String(response.json.url).split('/').at(-1)!;
  const link = async (body: object = {}): Promise<string> => {
    const made = await make(body);
    expect(made.status).toBe(201);
    return secretOf(made);
  };
  const by = (secret: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    service.call(null, method, path, { body, headers: { 'plotline-share': secret, ...headers } });
  const at = (rest = '', id = experiment) => `/api/v1/experiments/${id}${rest}`;
  const part = { runs: ['shown'], tags: ['loss', 'text', 'image'] };
  const seriesId = async (tag: string, run: string): Promise<SeriesId> => {
    const [row] = await service.sql(
      'select s.series_id from series s join run r using (tenant_id, run_id) where s.experiment_id = $1 and s.tag = $2 and r.name = $3',
      [experiment, tag, run],
    );
    return seriesIdOf(String(row!.series_id));
  };
  const blobKeyOf = async (tag: string): Promise<string> => {
    const id = await seriesId(tag, 'shown');
    const [row] = await service.sql('select file_id, ordinal from blob_sequence_value where series_id = $1 order by ordinal limit 1', [id]);
    return writeBlobKey({
      experimentId: experiment,
      seriesId: id,
      fileId: fileIdOf(String(row!.file_id)),
      ordinal: Number(row!.ordinal),
      index: 2, // behind width and height
    });
  };

  it('are long, stored as hashes, and shown once', async () => {
    const view = 'smoothing=0.9&run=shown&run=secret-run&runFilter=secret&card=secret/loss';
    const made = await make({ name: 'for reviewers', expires_in_days: 7, view, ...part });
    expect(made.json).toEqual({
      id: expect.any(String),
      url: expect.stringMatching(/^https:\/\/plots\.example\/s\/[0-9A-Za-z]{30}$/), // 178 bits
      kind: 'page',
      name: 'for reviewers',
      experiment,
      frozen: false,
      ...part,
      anonymous: false,
      logs: false,
      origins: null,
      view: 'smoothing=0.9', // nothing that it does not show
      expires_at: expect.any(String),
    });
    const listed = await service.call(owner, 'GET', at('/share-links'));
    expect(listed.json.share_links[0]).toMatchObject({ id: made.json.id, name: 'for reviewers', made_by: { name: 'Secret Ada' } });
    expect(listed.text).not.toContain(secretOf(made));
    for (const table of ['share_link', 'share_link_route', 'idempotency_key']) {
      const rows = JSON.stringify(await service.sql(`select t::text from ${table} t`));
      expect(rows).not.toContain(secretOf(made));
      expect(rows).not.toContain(Buffer.from(secretOf(made)).toString('hex'));
    }
  });

  it('exchange the secret for a cookie at once, and leak it nowhere', async () => {
    const secret = await link();
    const host = { host: 'plots.example' };
    const opened = await service.raw('GET', `/s/${secret}`, host);
    expect(opened.status).toBe(303);
    expect(opened.headers.location).toBe(`/e/${experiment}`);
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-plotline_share_${experiment}=${secret}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$`),
      ),
    ]);
    expect(opened.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    const cookie = `__Host-plotline_share_${experiment}=${secret}`;
    const page = await service.raw('GET', `/e/${experiment}`, { ...host, cookie });
    expect(page.status).toBe(200);
    expect(page.text).toContain('resnet');
    expect(page.text).not.toContain(secret);
    // The page mentions no other origin and loads nothing, so no request contains one of our URLs.
    expect(page.text).not.toMatch(/(src|href|action)="(?!\/)/);
    expect(page.headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[^']+'; .*connect-src 'self'; .*frame-ancestors 'none'$/,
      ),
      'strict-transport-security': expect.stringContaining('max-age='),
    });
    // The cookie is valid only on the public host, and only for this experiment.
    const trial = async (path: string, headers: Record<string, string>) => (await service.raw('GET', path, headers)).status;
    expect(await trial(at(), { ...host, cookie })).toBe(200);
    expect(await trial(at(), { ...host, cookie: cookie.replace('__Host-', '') })).toBe(401); // a site of the same domain could set that
    expect(await trial(at(), { host: 'evil.example', cookie })).toBe(401);
    expect(await trial(at(), { ...host, cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).toBe(401);
    expect(await trial(at(), { ...host, cookie, origin: 'https://evil.example' })).toBe(401);
    expect(await trial(at(), { ...host, cookie, origin: 'null' })).toBe(401);
    expect(await trial(at('', other), { ...host, cookie })).toBe(401);
    expect(await trial(at('', other), { ...host, cookie: `__Host-plotline_share_${other}=${secret}` })).toBe(401);
    expect(await trial('/api/v1/experiments', { ...host, cookie })).toBe(401);
    expect((await service.raw('GET', `/s/${secret}`, { host: 'evil.example' })).headers['set-cookie']).toBeUndefined();
  });

  it('show one experiment, read-only', async () => {
    const secret = await link();
    expect((await by(secret, 'GET', at())).json).toMatchObject({
      name: 'resnet',
      runs: 3,
      owner: { name: 'Secret Ada' },
      points: expect.any(Number),
    });
    expect((await by(secret, 'GET', at('/receipt'))).status).toBe(200);
    const missing = at('', experimentIdOf('A'.repeat(22)));
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['GET', '/series', undefined],
      ['GET', '/events', undefined],
      ['POST', '/scalars/query', {}],
    ] as const) {
      const responses = [await by(secret, method, at(rest, other), body), await by(secret, method, missing + rest, body)];
      expect(responses[0]!.status, rest).toBe(404);
      expect({ ...responses[0]!.json, request_id: '' }).toEqual({ ...responses[1]!.json, request_id: '' });
      expect(responses[0]!.headers.get('etag')).toBeNull();
    }
    for (const [method, path, body] of [
      ['GET', '/api/v1/experiments', undefined],
      ['GET', '/api/v1/workspace', undefined],
      ['GET', '/api/v1/whoami', undefined],
      ['GET', at('/deletions'), undefined],
      ['GET', at('/share-links'), undefined],
      ['PATCH', at(), { name: 'mine' }],
      ['PATCH', at(), { visibility: 'public' }],
      ['DELETE', at(), undefined],
      ['POST', at('/share-links'), {}],
      ['POST', at('/snapshots'), {}],
      ['POST', '/api/v1/tokens', { name: 'mine' }],
    ] as const) {
      expect([method, path, (await by(secret, method, path, body)).status]).toEqual([method, path, 403]);
    }
  });

  it('of a part show nothing else, by any route', async () => {
    const secret = await link(part);
    const values: Record<string, string> = {
      experimentId: experiment,
      key: await blobKeyOf('secret/image'),
      fileId: fileIdOf('1'),
      linkId: 'x',
      tokenId: 'x',
    };
    let asked = 0;
    for (const route of liveRoutes(service.app).filter((one) => !one.public && !one.path.endsWith('/events'))) {
      const path = route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => values[name] ?? 'x');
      const example = routeDocs.find((doc) => doc.method === route.method && doc.path === route.path)?.body?.example;
      for (const body of route.method === 'POST' && route.reads
        ? [{}, example]
        : [['POST', 'PATCH'].includes(route.method) ? (example ?? {}) : undefined]) {
        const response = await by(secret, route.method, `${path}${path.endsWith('/content') ? `?experiment=${experiment}` : ''}`, body);
        expect(response.status, `${route.method} ${path}`).toBeLessThan(500);
        expect(response.text.replaceAll(experiment, '').replaceAll('Secret Ada', ''), `${route.method} ${path}`).not.toMatch(
          /secret|987654/i,
        );
        asked++;
      }
    }
    expect(asked).toBeGreaterThan(25);
    for (const rest of ['/receipt', '/files', '/problems', '/deletions'])
      expect([rest, (await by(secret, 'GET', at(rest))).status]).toEqual([rest, 403]);
    expect((await by(secret, 'GET', at())).json).toMatchObject({
      runs: 1,
      points: null,
      tensors: null,
      blob_sequences: null,
      bytes: null,
      received: null,
    });
    expect((await by(secret, 'GET', at('/frontier'))).json).toEqual({
      epoch: expect.any(Number),
      acknowledged_epoch: expect.any(Number),
      visible: expect.any(Boolean),
    });
    const { json: shown } = await by(secret, 'GET', at('/series?unlisted=true'));
    expect(shown.series.map(({ run, tag }: Loose) => [run, tag])).toEqual([
      ['shown', 'image'],
      ['shown', 'loss'],
      ['shown', 'text'],
    ]);
  });

  it('of a part answer queries for the rest as if it did not exist', async () => {
    const secret = await link(part);
    for (const what of ['scalars', 'tensors', 'blob-sequences']) {
      for (const asked of [
        { tags: ['secret/loss', 'secret/text', 'secret/image'] },
        { runs: ['secret-run'] },
        { unlisted: true, runs: ['secret-run', 'shown'], tags: ['secret/loss'] },
      ]) {
        const { status, json } = await by(secret, 'POST', at(`/${what}/query`), asked);
        expect([what, status, json.series]).toEqual([what, 200, []]);
      }
      const { json: all } = await by(secret, 'POST', at(`/${what}/query`), { unlisted: true });
      expect(all.series.map(({ run, tag }: Loose) => [run, tag.startsWith('secret')])).toEqual([['shown', false]]);
    }
    for (const sampling of ['raw', 'minmax', 'last', 'random', 'tail'])
      for (const superseded of sampling === 'raw' ? [true, false] : [false])
        expect((await by(secret, 'POST', at('/scalars/query'), { sampling, superseded })).text).not.toMatch(/secret|987654/i);
    expect((await by(secret, 'GET', at('/scalars?tag=secret/loss'))).json.series).toEqual([]);
    expect((await by(secret, 'GET', at('/scalars'), undefined, { accept: 'text/csv' })).text).not.toMatch(/secret|987654/i);
    expect((await by(secret, 'GET', at('/series?tag=secret/loss&run=secret-run'))).json.series).toEqual([]);
    // Filters and sort orders also query data.
    const runs = async (query: string): Promise<Loose> =>
      (await by(secret, 'GET', at(`/runs?${query}`))).json.runs.map(({ run }: Loose) => run);
    expect(await runs(`filter=${encodeURIComponent('last("loss") > 1')}`)).toEqual(['shown']);
    for (const filter of [
      'last("secret/loss") > 0',
      'min("secret/loss") > 0',
      'hparam("secret") = 1',
      'status = "failure"',
      'group = "secret"',
      'name = "secret-run"',
    ])
      expect([filter, await runs(`filter=${encodeURIComponent(filter)}`)]).toEqual([filter, []]);
    expect(await runs(`order_by=${encodeURIComponent('last("secret/loss") desc')}`)).toEqual(['shown']);
    const [hiddenRun] = await service.sql(`select run_id from run where experiment_id = $1 and name = 'secret-run'`, [experiment]);
    const member = await service.call(owner, 'GET', at('/runs?page_size=1&order_by=name'));
    expect(member.json.next_page_token).toBeDefined();
    expect(hiddenRun).toBeDefined();
    // A page token that points after a hidden run is not valid for any list of the visitor.
    expect((await by(secret, 'GET', at(`/runs?page_size=1&order_by=name&page_token=${member.json.next_page_token}`))).json.code).toBe(
      'invalid-page-token',
    );
  });

  it('of a part serve blobs of that part, and reveal nothing of others by status, tag or type', async () => {
    const secret = await link(part);
    const [open, hidden] = [await blobKeyOf('image'), await blobKeyOf('secret/image')];
    const given = await by(secret, 'GET', `/api/v1/blobs/${open}`);
    expect([given.status, given.headers.get('content-type')]).toEqual([200, 'image/png']);
    const theirs = await service.call(owner, 'GET', `/api/v1/blobs/${hidden}`);
    const etag = theirs.headers.get('etag')!;
    const none = hidden.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const path of [`/api/v1/blobs/${hidden}`, `/data/blob/${hidden}`])
      for (const headers of [
        {},
        { 'if-none-match': etag },
        { 'if-none-match': '*' },
        { range: 'bytes=0-0' },
        { 'if-range': etag, range: 'bytes=0-0' },
      ] as Record<string, string>[]) {
        const response = await by(secret, 'GET', path, undefined, headers);
        expect([response.status, response.json.code, response.headers.get('etag')]).toEqual([404, 'blob-not-found', null]);
        expect((await by(secret, 'GET', path.replace(hidden, none), undefined, headers)).status).toBe(404);
      }
    const { json } = await by(secret, 'POST', at('/blob-sequences/query'), {});
    for (const { columns, points } of json.series) expect(JSON.stringify(columns ?? points)).not.toContain(owner.tenantId);
  });

  it('stream to visitors what they may see', async () => {
    const secret = await link(part);
    const stop = new AbortController();
    const response = await fetch(service.base + at('/events'), { headers: { 'plotline-share': secret }, signal: stop.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let streamed = '';
    while (!streamed.includes('event: run')) streamed += (await reader.read()).value;
    stop.abort();
    expect(streamed).toContain('"run":"shown"');
    expect(streamed).not.toMatch(/secret|bytes|deletion/);
  });

  it('that are anonymous reveal no person, workspace, file or host', async () => {
    const secret = await link({ anonymous: true, runs: ['shown'], tags: ['loss'] });
    const whole = secretOf(await make({ anonymous: true }));
    for (const one of [secret, whole]) {
      expect((await by(one, 'GET', at())).json).toMatchObject({ name: 'resnet', owner: null, workspace: null, snapshot: null });
      for (const rest of ['/receipt', '/files', '/problems']) expect((await by(one, 'GET', at(rest))).status).toBe(403);
      const [file] = await service.sql('select file_id from event_file where experiment_id = $1', [experiment]);
      expect((await by(one, 'GET', `/api/v1/files/${fileIdOf(String(file!.file_id))}/content?experiment=${experiment}`)).status).toBe(403);
      const page = await by(one, 'GET', `/e/${experiment}`);
      for (const text of [page.text, (await by(one, 'GET', at())).text, (await by(one, 'GET', at('/runs'))).text]) {
        for (const name of ['Secret Ada', 'Secret Lab', 'secret-host', owner.personId, owner.tenantId]) expect(text).not.toContain(name);
      }
    }
  });

  it('end when they are revoked, expire, or their target is deleted; a guess gets the same response', async () => {
    const made = await make({ name: 'to be revoked' });
    const secret = secretOf(made);
    expect((await by(secret, 'GET', at())).status).toBe(200);
    const member = { ...stranger };
    expect((await service.call(member, 'DELETE', `/api/v1/share-links/${made.json.id}`)).json.code).toBe('share-link-not-found');
    expect((await service.call(owner, 'DELETE', `/api/v1/share-links/${made.json.id}`)).status).toBe(204);
    expect((await service.call(owner, 'DELETE', `/api/v1/share-links/${made.json.id}`)).status).toBe(204);
    await vi.waitFor(async () => expect((await by(secret, 'GET', at())).status).toBe(401), { timeout: 10_000, interval: 200 });
    expect((await service.raw('GET', `/s/${secret}`, { host: 'plots.example' })).status).toBe(404);
    const expired = await make({ expires_in_days: 1 });
    await service.sql(`update share_link set expires_at = now() - interval '1 second' where link_id = $1`, [expired.json.id]);
    const gone = await logged.make(owner, { r: hiddenEvents(hiddenValue) });
    const ofGone = secretOf(await make({}, owner, gone));
    await service.call(owner, 'DELETE', at('', gone));
    for (const [one, id] of [
      [secretOf(expired), experiment],
      [ofGone, gone],
      ['0'.repeat(30), experiment],
      ['', experiment],
      [`${secret}x`, experiment],
    ] as const) {
      const response = await by(one, 'GET', at('', id));
      expect([one, response.status, response.json.code]).toEqual([one, 401, 'unauthenticated']);
      expect((await service.raw('GET', `/s/${one}`, { host: 'plots.example' })).headers['set-cookie']).toBeUndefined();
    }
    const listed = await service.call(owner, 'GET', at('/share-links'));
    expect(listed.json.share_links.map(({ id }: Loose) => id)).not.toContain(expired.json.id);
    expect(listed.json.share_links.map(({ id }: Loose) => id)).not.toContain(made.json.id);
  });

  it('are created by those who may share, for what they may see', async () => {
    expect((await make({}, stranger)).json.code).toBe('experiment-not-found');
    const session = await signIn(service.store, await createSignInLink(service.store, owner));
    const cookie = { cookie: `__Host-plotline_session=${session!.secret}`, host: 'plots.example' };
    expect((await service.raw('POST', at('/share-links'), cookie)).status).toBe(403);
    const reader = await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'r', scopes: ['read', 'upload'] } });
    expect((await make({}, { ...owner, token: reader.json.token })).status).toBe(403);
    for (const body of [
      { runs: [] },
      { expires_in_days: 0 },
      { made_by: stranger.personId },
      { tenant_id: stranger.tenantId },
      { name: 'x\0' },
    ])
      expect([body, (await make(body)).status]).toEqual([body, 400]);
  });

  it('for embeds are framed only by the sites that they list, and work nowhere else', async () => {
    const made = await make({ embed_origins: ['https://blog.example', 'http://localhost:3000'], tags: ['loss'] });
    expect(made.json).toMatchObject({ kind: 'embed', url: expect.stringMatching(/^https:\/\/plots\.example\/embed\/[0-9A-Za-z]{30}$/) });
    const secret = secretOf(made);
    const page = await service.call(null, 'GET', `/embed/${secret}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(/; frame-ancestors https:\/\/blog\.example http:\/\/localhost:3000$/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-frame-options')).toBeNull();
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const sheets = /<link rel="(preload|stylesheet)" href="\/assets\/[^"]+"[^>]*>/g;
    expect(page.text).toMatch(/<svg class="plot"|<table/);
    expect(page.text.replaceAll(sheets, '')).not.toMatch(/href=|src=|<script|<form|secret\/|Secret Lab/);
    const oneRun = await service.call(null, 'GET', `/embed/${secret}?run=shown&tag=secret/loss`);
    expect(oneRun.text).not.toMatch(/<svg|<table|Secret Lab/);
    // Hidden and missing objects get the same response
    for (const query of ['run=shown&tag=secret/loss', 'tag=none', 'run=none', 'run=shown&run=none', 'run=%00'])
      expect([query, (await service.call(null, 'GET', `/embed/${secret}?${query}`)).status]).toEqual([
        query,
        query === 'run=%00' ? 400 : 404,
      ]);
    expect((await service.call(null, 'GET', `/embed/${secret}?run=shown&tag=loss`)).status).toBe(200);
    for (const body of [{ runs: ['shown', 'none'] }, { tags: ['los'] }, { runs: ['none'], frozen: true }])
      expect([body, (await make(body)).status]).toEqual([body, 404]);
    expect((await service.call(null, 'GET', `/embed/${secret}?script=1`)).status).toBe(400);
    expect((await by(secret, 'GET', at())).status).toBe(401);
    expect((await service.raw('GET', `/s/${secret}`, { host: 'plots.example' })).status).toBe(404);
    expect(
      (await service.raw('GET', at(), { host: 'plots.example', cookie: `__Host-plotline_share_${experiment}=${secret}` })).status,
    ).toBe(401);
    const broken = await service.call(null, 'GET', `/embed/${await link()}`);
    expect([broken.status, broken.headers.get('x-frame-options')]).toEqual([404, null]);
    expect(broken.headers.get('content-security-policy')).toMatch(/; frame-ancestors \*$/); // a message for the framing page
    expect(broken.text.replaceAll(sheets, '')).not.toMatch(/href=|src=|<script|<form/);
    for (const origin of [
      "https://a.example; script-src 'unsafe-inline'",
      '*',
      'https://*.example',
      "'self'",
      'https://a.example/path',
      'javascript:1',
      'https://a b',
      'https://a.example:99999',
      'https://a.example:65536',
      'https://a.example\n',
      '',
    ])
      expect([origin, (await make({ embed_origins: [origin] })).status]).toEqual([origin, 400]);
  });

  it('are not needed for public experiments, which anyone reads and only the workspace lists', async () => {
    const id = await logged.make(owner, { run: events(1) }, 'open');
    const change = (visibility: string, as = owner) => service.call(as, 'PATCH', at('', id), { body: { visibility } });
    expect((await change('public', stranger)).status).toBe(404);
    expect((await service.call(null, 'GET', at('', id))).status).toBe(401);
    expect((await service.call(stranger, 'GET', at('', id))).status).toBe(404);
    expect((await change('public')).json.visibility).toBe('public');
    await vi.waitFor(async () => expect((await service.call(null, 'GET', at('', id))).status).toBe(200), {
      timeout: 10_000,
      interval: 200,
    });
    const bounded = await service.call(owner, 'POST', '/api/v1/tokens', {
      body: { name: 'b', scopes: ['read'], experiments: [experiment] },
    });
    for (const as of [null, stranger, { ...owner, token: bounded.json.token }]) {
      for (const rest of ['', '/runs', '/series', '/frontier', '/receipt', '/files'])
        expect([rest, (await service.call(as, 'GET', at(rest, id))).status]).toEqual([rest, 200]);
      const { json } = await service.call(as, 'POST', at('/scalars/query', id), { body: { tags: ['loss'] } });
      expect(json.series[0].columns.value).toHaveLength(20);
      const { json: blobs } = await service.call(as, 'POST', at('/blob-sequences/query', id), { body: { tags: ['image'] } });
      const url = /"url":"([^"]+)"/.exec(JSON.stringify(blobs))![1]!;
      expect((await service.call(as, 'GET', new URL(url, 'https://plots.example').pathname)).status).toBe(200);
      for (const [method, rest, body] of [
        ['PATCH', '', { name: 'mine' }],
        ['DELETE', '', undefined],
        ['POST', '/share-links', {}],
        ['POST', '/snapshots', {}],
        ['GET', '/deletions', undefined],
        ['POST', '/deletions', { runs: ['run'] }],
      ] as const) {
        const { status } = await service.call(as, method, at(rest, id), { body });
        expect([method, rest, [401, 403, 404].includes(status)]).toEqual([method, rest, true]);
      }
    }
    const [file] = await service.sql('select file_id from event_file where experiment_id = $1', [id]);
    const content = `/api/v1/files/${fileIdOf(String(file!.file_id))}/content`;
    expect((await service.call(null, 'GET', content)).status).toBe(401);
    expect((await service.call(null, 'GET', `${content}?experiment=${id}`)).status).toBe(200);
    const [foreign] = await service.sql('select file_id from event_file where experiment_id = $1', [experiment]);
    expect((await service.call(null, 'GET', `/api/v1/files/${fileIdOf(String(foreign!.file_id))}/content?experiment=${id}`)).status).toBe(
      404,
    );
    expect((await service.call(stranger, 'GET', '/api/v1/experiments')).json.experiments).toEqual([]);
    expect((await service.call(null, 'GET', '/api/v1/experiments')).status).toBe(401);
    // An invalid token or link is an error that its sender should see.
    expect((await service.call({ ...owner, token: 'plt_x' }, 'GET', at('', id))).status).toBe(401);
    expect((await by('0'.repeat(30), 'GET', at('', id))).status).toBe(401);
    await change('private');
    await vi.waitFor(async () => expect((await service.call(null, 'GET', at('', id))).status).toBe(401), {
      timeout: 10_000,
      interval: 200,
    });
    expect((await service.call(stranger, 'GET', at('', id))).status).toBe(404);
  });
});
