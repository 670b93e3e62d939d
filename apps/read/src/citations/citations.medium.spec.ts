import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ExperimentId, limits } from '#model';
import { experimentIdOf } from '#model/testing';
import { readWaitingCitations, Store } from '#store';
import { describeWith } from '#testing';
import { CitationJanitor } from '../../../ingest/src/citations/citation-janitor.ts';
import { workOnCitation } from '../../../ingest/src/citations/work-on-citation.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const large = Array.from({ length: 6_000 }, (_, i) => i); // above what a row stores of a tensor
const events = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    step: BigInt(i),
    values: [
      { tag: 'loss', scalar: [0.1, -0, Infinity, NaN, 1e-310][i % 5]! },
      ...(i % 20 === 0
        ? [
            { tag: 'weights', tensor: large },
            { tag: 'text', text: `step ${i}` },
            { tag: 'image', images: [Buffer.from(`picture ${i}`)] },
          ]
        : []),
    ],
  }));

describeWith(['postgres'], 'citations', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let store: Store;
  let owner: TestTenant;

  beforeAll(async () => {
    service = await startReadService('http://plots.example');
    logged = new LoggedExperiments(service);
    store = new Store(service.database);
    owner = await service.tenant('Lab');
  });
  afterAll(async () => {
    await logged?.close();
    await store?.close();
    await service?.close();
  });

  const at = (id: string, rest = ''): string => `/api/v1/experiments/${id}/citation${rest}`;
  const snapshot = (id: string, citation?: object, more: object = {}): Promise<ApiResponse> =>
    service.call(owner, 'POST', `/api/v1/experiments/${id}/snapshots`, { body: { ...more, citation } });
  const cite = async (id: string, citation: object = {}): Promise<ExperimentId> => {
    const { status, json } = await snapshot(id, citation);
    expect([status, json.code]).toEqual([201, undefined]);
    return experimentIdOf(json.id as string);
  };
  const digest = (id: ExperimentId): Promise<void> =>
    workOnCitation(store, service.blobs, { tenantId: owner.tenantId, experimentId: id }, { leaseMs: 15_000, retryMs: 0 });
  const read = async (id: string) => (await service.call(owner, 'GET', at(id))).json;

  it('state what was given, and the digest once it is computed', async () => {
    const id = await logged.make(owner, { a: events(100), b: events(10) }, 'resnet');
    const copy = await cite(id, { authors: ['Doe, Jane'], license: 'cc-by-4.0', published: '2026-11-27' });
    const { json: frontier } = await service.call(owner, 'GET', `/api/v1/experiments/${id}/frontier`);
    const first = await read(copy);
    expect(first).toMatchObject({
      id: copy,
      url: `http://plots.example/e/${copy}/citation`,
      title: 'resnet',
      authors: ['Doe, Jane'],
      license: 'cc-by-4.0',
      spdx: 'CC-BY-4.0',
      published: '2026-11-27',
      snapshot: { of: id, epoch: frontier.epoch },
      digest: null,
      scalars: 0,
    });
    await digest(copy);
    const done = await read(copy);
    expect(done).toMatchObject({ scalars: 110, tensors: 12, blob_sequences: 6, series: 8 });
    expect(done.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(done.text).toContain(
      `Doe, Jane (2026): resnet [data set]. Plotline (plots.example). ${done.url} (content digest ${done.digest})`,
    );
    // The citation never changes, regardless of changes to the source
    await logged.log(owner, id, 'a', events(3), 'events.2.secret-host');
    await digest(copy);
    expect(await read(copy)).toEqual(done);
  });

  it('have equal digests for equal content, and different ones otherwise', async () => {
    const id = await logged.make(owner, { a: events(100), b: events(10) });
    const same = await logged.make(owner, { b: events(10), a: events(100) });
    const other = await logged.make(owner, { a: events(100), b: events(11) });
    const digests = [];
    for (const source of [id, id, same, other]) {
      const copy = await cite(source, { title: 'x' });
      await digest(copy);
      digests.push((await read(copy)).digest);
    }
    expect(digests[0]).toMatch(/^sha256:/);
    expect(digests.slice(0, 3)).toEqual([digests[0], digests[0], digests[0]]);
    expect(digests[3]).not.toBe(digests[0]);
  });

  it('are digested by the janitor, one at a time for each workspace', async () => {
    const id = await logged.make(owner, { a: events(5) });
    const copies = [await cite(id, { title: 'x' }), await cite(id, { title: 'y' })];
    const mine = async () => (await readWaitingCitations(store.sweeper, 100, 20)).filter(({ tenantId }) => tenantId === owner.tenantId);
    const done: string[] = [];
    const runner = {
      digestCitation: async (citation: { tenantId: typeof owner.tenantId; experimentId: ExperimentId }) => {
        await workOnCitation(store, service.blobs, citation, { leaseMs: 15_000, retryMs: 0 });
        done.push(citation.experimentId);
      },
    };
    const failures: unknown[] = [];
    const janitor = new CitationJanitor(store, runner, { everyMs: 60_000, onError: (error) => failures.push(error) });
    for (let waiting = await mine(); waiting.length > 0; waiting = await mine()) {
      expect(waiting).toHaveLength(1);
      await janitor.round();
      expect(failures).toEqual([]);
    }
    expect(failures).toEqual([]);
    expect(done).toEqual(expect.arrayContaining(copies));
    for (const copy of copies) expect((await read(copy)).digest).not.toBeNull();
  });

  it('are retried when the object store fails, and their digest is stored once', async () => {
    const id = await logged.make(owner, { a: events(30) });
    const copy = await cite(id, { title: 'x' });
    const down = Object.assign(Object.create(service.blobs) as typeof service.blobs, {
      get: () => Promise.reject(new Error('the store is down')),
    });
    const place = { tenantId: owner.tenantId, experimentId: copy };
    await expect(workOnCitation(store, down, place, { leaseMs: 15_000, retryMs: 0 })).rejects.toThrow('the store is down');
    expect((await read(copy)).digest).toBeNull();
    await Promise.all([digest(copy), digest(copy)]);
    const { digest: first } = await read(copy);
    expect(first).not.toBeNull();
    await service.sql(`update citation set title = title where experiment_id = $1`, [copy]);
    await digest(copy);
    expect((await read(copy)).digest).toBe(first);
  });

  it('keep hostile text within its field, on the page and in every file', async () => {
    const id = await logged.make(owner, { a: events(5) }, '<script>alert(1)</script>');
    const hostile = '"><img src=x onerror=alert(1)>}, note = {x}\n@misc{evil, \u202Etitle = {y';
    const copy = await cite(id, { title: hostile, authors: [hostile, 'others and more'], license: hostile });
    await digest(copy);
    const page = await service.call(owner, 'GET', `/e/${copy}/citation`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img');
    expect(page.text).not.toContain('\u202E');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const bibtex = await service.call(owner, 'GET', at(copy, '/bibtex'));
    expect(bibtex.headers.get('content-type')).toContain('application/x-bibtex');
    expect(bibtex.text.match(/^@/gm)).toHaveLength(1);
    expect(bibtex.text.match(/^ {2}(\w+) = /gm)).toHaveLength(7);
    const { json } = await service.call(owner, 'GET', at(copy, '/datacite'));
    expect(json.data.attributes.titles[0].title).toContain('onerror');
    expect(json.data.attributes.titles[0].title).not.toMatch(/[\n\u202E]/);
  });

  it('have bounds, and are created with the copy or not at all', async () => {
    const id = await logged.make(owner, { a: events(5) });
    const count = async () => (await service.sql('select count(*)::int as n from experiment where tenant_id = $1', [owner.tenantId]))[0];
    const before = await count();
    for (const [citation, code] of [
      [{ title: 'x'.repeat(301) }, 'name-too-long'],
      [{ title: ' ' }, 'invalid-name'],
      [{ title: 'a\0b' }, 'invalid-name'],
      [{ authors: Array.from({ length: 101 }, () => 'a') }, 'bad-request'],
      [{ authors: ['x'.repeat(201)] }, 'name-too-long'],
      [{ license: 'x'.repeat(201) }, 'name-too-long'],
      [{ published: '2026-02-30' }, 'bad-request'],
      [{ published: '0001-01-01' }, 'bad-request'],
      [{ doi: '10.1/x' }, 'unknown-field'],
    ] as const)
      expect([citation, (await snapshot(id, citation)).json.code]).toEqual([citation, code]);
    expect(await count()).toEqual(before);
    const longest = { title: 'x'.repeat(300), authors: Array.from({ length: 100 }, () => 'ä'.repeat(200)), license: 'x'.repeat(200) };
    expect(JSON.stringify(longest).length).toBeLessThan(limits.maxJsonBodyBytes);
    expect((await snapshot(id, longest)).status).toBe(201);
  });

  it('exist only for snapshots that were created with one', async () => {
    const id = await logged.make(owner, { a: events(5) });
    const { json } = await snapshot(id);
    for (const path of ['', '/bibtex', '/datacite'])
      for (const one of [id, json.id as string])
        expect((await service.call(owner, 'GET', at(one, path))).json.code).toBe('citation-not-found');
    expect((await service.call(owner, 'GET', `/e/${id}/citation`)).status).toBe(404);
    const copy = await cite(id, { title: 'x' });
    expect((await service.call(owner, 'DELETE', `/api/v1/experiments/${copy}`)).status).toBe(204);
    expect((await service.call(owner, 'GET', at(copy))).json.code).toBe('experiment-not-found');
  });

  it('are counted in the preview of a deletion of their source', async () => {
    const id = await logged.make(owner, { a: events(5) });
    const kept = async () =>
      (await service.call(owner, 'POST', `/api/v1/experiments/${id}/deletions`, { body: { dry_run: true } })).json.kept_in_snapshots;
    expect(await kept()).toEqual({ snapshots: 0, citable: 0 });
    await snapshot(id);
    const copy = await cite(id, { title: 'x' });
    expect(await kept()).toEqual({ snapshots: 2, citable: 1 });
    await service.call(owner, 'DELETE', `/api/v1/experiments/${copy}`);
    expect(await kept()).toEqual({ snapshots: 1, citable: 0 });
  });

  it('are open to visitors who may see all of the snapshot with names, and to no one else', async () => {
    const id = await logged.make(owner, { a: events(5), b: events(5) });
    const copy = await cite(id, { title: 'secret title' });
    const open = async (headers: Record<string, string> = {}) => [
      (await service.call(null, 'GET', at(copy), { headers })).status,
      (await service.call(null, 'GET', `/e/${copy}/citation`, { headers })).status,
    ];
    const link = async (body: object) => {
      const { json } = await service.call(owner, 'POST', `/api/v1/experiments/${copy}/share-links`, { body });
      return { 'plotline-share': String(json.url).split('/').at(-1)! };
    };
    expect(await open()).toEqual([401, 404]);
    expect(await open(await link({}))).toEqual([200, 200]);
    for (const part of [{ runs: ['a'] }, { tags: ['loss'] }, { anonymous: true }])
      for (const status of await open(await link(part))) expect([part, status >= 400]).toEqual([part, true]);
    expect((await service.call(await service.tenant('Other'), 'GET', at(copy))).json.code).toBe('experiment-not-found');
    await service.call(owner, 'PATCH', `/api/v1/experiments/${copy}`, { body: { visibility: 'public' } });
    // Each process looks up the visibility of an experiment every five seconds
    await expect.poll(() => open(), { timeout: 15_000 }).toEqual([200, 200]);
  });
});
