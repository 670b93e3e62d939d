import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workOnDeletion } from '../../../ingest/src/deletion/work-on-deletion.ts';
import { checkUsage } from '../../../ingest/src/testing/check-usage.ts';
import { liveRoutes } from '#http';
import { type ExperimentId, type FileId, isLogName, logNamePattern } from '#model';
import { copyLogs, joinOriginal } from '#originals';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const name = (rank: number): string => `output.1795261058.secret-host.4711.${rank}.rank${rank}.plotline.log`;
const scalars = [{ step: 1n, values: [{ tag: 'loss', scalar: 0.5 }] }];

describeWith(['postgres'], 'logs of runs', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let experiment: ExperimentId;
  let long: FileId;
  /** The output of run `a`: 40,000 lines, one of them long, and one unfinished. */
  const lines = Array.from({ length: 40_000 }, (_, i) => (i === 20_000 ? `long ${'é'.repeat(20_000)}` : `line ${i + 1} ü`));
  const text = `${lines.join('\n')}\nunfinished`;

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    owner = await service.tenant();
    experiment = await logged.make(owner, { a: scalars, 'secret-run': scalars });
    long = await log('a', name(0), text, 7);
    await log('a', name(1), 'same\n');
    await log('secret-run', name(0), 'secret words\n');
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  /** Uploads and ingests a log in this many parts. */
  async function log(run: string, file: string, content: string, parts = 1): Promise<FileId> {
    const { world } = logged;
    const bytes = Buffer.from(content);
    const fileId = await world.open(owner, experiment, run, file);
    const size = Math.ceil(bytes.length / parts);
    for (let at = 0; at < bytes.length; at += size) {
      await world.append(owner, experiment, fileId, at, bytes.subarray(at, at + size));
      await world.ingest(owner);
    }
    return fileId;
  }
  const path = (rest = '', id: string = experiment): string => `/api/v1/experiments/${id}/logs${rest}`;
  const get = (rest = '', as: TestTenant | null = owner, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    service.call(as, 'GET', path(rest), { headers });

  it('are listed with their ranks and lines, of the requested runs', async () => {
    const { json } = await get();
    const listed = json.logs.map(({ run, rank, lines: count }: Record<string, unknown>) => [run, rank, count]);
    expect(listed.toSorted()).toEqual([
      ['a', 0, 40_001],
      ['a', 1, 1],
      ['secret-run', 0, 1],
    ]);
    expect(json.logs.find((one: { file_id: string }) => one.file_id === long)).toMatchObject({
      bytes: Buffer.byteLength(text),
      complete: false,
      kept: true,
    });
    expect((await get('?run=secret-run')).json.logs).toHaveLength(1);
    const page = await get('?page_size=2');
    expect(page.json.logs).toHaveLength(2);
    const rest = await get(`?page_size=2&page_token=${page.json.next_page_token}`);
    expect([...page.json.logs, ...rest.json.logs]).toEqual(json.logs);
  });

  it('return their last lines, or any others, as they were printed', async () => {
    const tail = await get(`/${long}?lines=2`);
    expect(tail.json).toMatchObject({
      from: 40_000,
      content: [
        { line: 40_000, text: 'line 40000 ü' },
        { line: 40_001, text: 'unfinished' },
      ],
      next: null,
    });
    for (const from of [1, 2, 9_999, 20_000, 33_333]) {
      const { json } = await get(`/${long}?from=${from}&lines=5`);
      const texts = lines.slice(from - 1, from + 4);
      expect(json.content.map(({ line }: { line: number }) => line)).toEqual(texts.map((_, i) => from + i));
      json.content.forEach((line: { text: string; cut?: boolean }, i: number) =>
        expect(line.cut ? texts[i]!.startsWith(line.text) : line.text === texts[i]).toBe(true),
      );
      expect(json.next).toBe(from + 5);
    }
    expect((await get(`/${long}?from=90000`)).json).toMatchObject({ content: [], next: null });
  });

  it('are searched to the end, request by request', async () => {
    const found: number[] = [];
    for (let from: number | null = 1; from !== null;) {
      const { json }: ApiResponse = await get(`/${long}?search=LINE%201999&from=${from}&lines=4`);
      found.push(...json.content.map(({ line }: { line: number }) => line));
      from = json.next;
    }
    expect(found).toEqual([1999, ...Array.from({ length: 10 }, (_, i) => 19_990 + i)]);
    expect((await get(`/${long}?search=nothing%20like%20this`)).json).toMatchObject({ content: [], next: null });
  });

  it('are files of the receipt, and no event files', async () => {
    const { json } = await service.call(owner, 'GET', `/api/v1/experiments/${experiment}/receipt`);
    const file = json.files.find((one: { file_id: string }) => one.file_id === long);
    expect(file).toMatchObject({ bytes: Buffer.byteLength(text), records: 40_000, rejected_bytes: 0, incomplete_bytes: 0, copy_of: null });
    expect(json.problems).toEqual([]);
    const runs = await service.call(owner, 'GET', `/api/v1/experiments/${experiment}/runs`);
    expect(runs.json.runs.map(({ run, events }: Record<string, unknown>) => [run, events])).toEqual([
      ['a', expect.any(Number)],
      ['secret-run', expect.any(Number)],
    ]);
    const content = await service.call(owner, 'GET', `/api/v1/files/${long}/content`);
    expect(content.text).toBe(text);
  });

  it('are for visitors whose link grants them, as text or as a file, and for no others', async () => {
    const link = async (body: object): Promise<Record<string, string>> => {
      const made = await service.call(owner, 'POST', `/api/v1/experiments/${experiment}/share-links`, { body });
      return { 'plotline-share': String(made.json.url).split('/').at(-1)! };
    };
    const whole = await link({ logs: true });
    const seen = async (headers: Record<string, string>) => {
      const listed = await get('', null, headers);
      const one = await get(`/${long}?lines=1`, null, headers);
      const file = await service.call(null, 'GET', `/api/v1/files/${long}/content?experiment=${experiment}`, { headers });
      expect(file.status === 200).toBe(headers === whole);
      return [listed.json.logs.length, one.status, one.json.code];
    };
    expect(await seen(whole)).toEqual([3, 200, undefined]);
    for (const logs of [{}, { logs: false }]) expect(await seen(await link(logs))).toEqual([0, 404, 'file-not-found']);
    expect(await seen(await link({ runs: ['a'], logs: true }))).toEqual([2, 200, undefined]);
    expect(await seen(await link({ runs: ['a'] }))).toEqual([0, 404, 'file-not-found']);
    expect(await seen(await link({ runs: ['secret-run'], logs: true }))).toEqual([1, 404, 'file-not-found']);
    expect(await seen(await link({ tags: ['loss'], logs: true }))).toEqual([3, 200, undefined]);
    expect(await seen(await link({ tags: ['loss'] }))).toEqual([0, 404, 'file-not-found']);
    expect(await seen(await link({ tags: ['loss', 'system/logs'] }))).toEqual([3, 200, undefined]);
    expect(await seen(await link({ anonymous: true }))).toEqual([0, 404, 'file-not-found']);
    for (const logs of [{ logs: true }, { tags: ['system/logs'] }]) {
      const made = await service.call(owner, 'POST', `/api/v1/experiments/${experiment}/share-links`, {
        body: { anonymous: true, ...logs },
      });
      expect([made.status, made.json.code]).toEqual([400, 'bad-request']);
    }
    const stranger = await service.tenant();
    expect((await get('', stranger)).status).toBe(404);
    expect((await service.call(stranger, 'GET', path(`/${long}`, await logged.make(stranger, { a: scalars })))).json.code).toBe(
      'file-not-found',
    );
  });

  it('are named to no visitor whose link does not grant them, by no route, page or tool', async () => {
    const about = await logged.make(owner, { a: scalars });
    const { world } = logged;
    const ids = [await world.open(owner, about, 'a', name(0)), await world.open(owner, about, 'a', name(1))] as const;
    await world.append(owner, about, ids[0], 0, Buffer.from('printed\n'));
    await world.ingest(owner);
    const [event] = await service.sql(
      `select file_id::text, run_id::text, name from event_file where experiment_id = $1 and name like 'events%'`,
      [about],
    );
    for (const [number, fileId] of [ids[0], event!.file_id].entries())
      await service.sql(
        `insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
          values ($1, $2, 0, $3, $4, $5, 'stored-bytes-lost', 'A sentence.', 1, false)`,
        [owner.tenantId, fileId, number, event!.run_id, about],
      );
    const { id: copy } = (await service.call(owner, 'POST', `/api/v1/experiments/${about}/snapshots`, { body: {} })).json;

    /**
     * Every response about an experiment through a new link to it, and the routes whose response
     * mentioned a log.
     */
    const visit = async (experimentId: string, body: object) => {
      const made = await service.call(owner, 'POST', `/api/v1/experiments/${experimentId}/share-links`, { body });
      const headers = { 'plotline-share': String(made.json.url).split('/').at(-1)!, accept: 'text/html, application/json' };
      const [found] = await service.sql(`select file_id::text from event_file where experiment_id = $1 and name = $2`, [
        experimentId,
        name(0),
      ]);
      const values: Record<string, string> = { experimentId, fileId: String(found!.file_id) };
      const paths = liveRoutes(service.app)
        .filter(({ method, path: at }) => method === 'GET' && /:experimentId|\/files\//.test(at) && !at.endsWith('/events'))
        .map(({ path: at }) => at.replace(/[:*]([A-Za-z]+)/g, (_, key: string) => values[key] ?? 'a'));
      const responses = new Map<string, ApiResponse>();
      for (const at of [...paths, `/e/${experimentId}?plain`, `/api/v1/files/${values.fileId}/content?experiment=${experimentId}`])
        responses.set(at.replaceAll(experimentId, 'ID'), await service.call(null, 'GET', at, { headers }));
      for (const tool of ['describe_experiment', 'list_problems', 'list_runs']) {
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: { experiment: experimentId } } };
        responses.set(tool, await service.call(null, 'POST', '/mcp', { body: message, headers }));
      }
      const naming = [...responses].filter(([, response]) => /plotline\.log/.test(response.text + JSON.stringify([...response.headers])));
      return { responses, naming: naming.map(([at]) => at) };
    };
    for (const experimentId of [about, copy]) {
      for (const body of [{}, { runs: ['a'] }, { tags: ['loss'] }, { anonymous: true }])
        expect((await visit(experimentId, body)).naming).toEqual([]);
    }
    expect((await visit(about, { logs: true })).naming).toEqual(
      expect.arrayContaining([
        '/e/ID?plain',
        ...['files', 'logs', 'problems', 'receipt'].map((at) => `/api/v1/experiments/ID/${at}`),
        'list_problems',
      ]),
    );

    const { responses } = await visit(about, {});
    const of = (at: string) => responses.get(`/api/v1/experiments/ID/${at}`)!.json;
    expect(of('files').files.map((file: { name: string }) => file.name)).toEqual([event!.name]);
    expect(of('problems').problems.map(({ file }: { file: string }) => file)).toEqual([event!.name]);
    expect(of('receipt').files).toEqual(of('files').files);
    expect(of('receipt').totals).toMatchObject({ files: 1, bytes: of('files').files[0].bytes });
    const { name: file, bytes, crc32c } = of('files').files[0];
    expect(of('receipt').digest).toBe(createHash('sha256').update(`a\0${file}\u00001\0${bytes}\0${crc32c}\n`).digest('hex'));
  });

  it('are the same files for Postgres', async () => {
    const names = [
      name(0),
      'x.plotline.log',
      '.plotline.log',
      'xplotline.log',
      'x.plotline.logs',
      'events.out.tfevents.1.plotline.log',
      'x.PLOTLINE.LOG',
    ];
    const rows = await service.sql(`select n as name, n like $2 and n not like $3 as log from unnest($1::text[]) as n`, [
      names,
      logNamePattern.like,
      logNamePattern.notLike,
    ]);
    for (const row of rows) expect([row.name, row.log]).toEqual([row.name, isLogName(String(row.name))]);
  });

  it('are in snapshots, which keep them without the experiment', async () => {
    const { world } = logged;
    const source = await logged.make(owner, { a: scalars, b: scalars });
    const into = async (run: string, content: string): Promise<FileId> => {
      const bytes = Buffer.from(content);
      const fileId = await world.open(owner, source, run, name(0));
      await world.append(owner, source, fileId, 0, bytes.subarray(0, bytes.length - 9));
      await world.append(owner, source, fileId, bytes.length - 9, bytes.subarray(bytes.length - 9));
      await world.ingest(owner);
      return fileId;
    };
    await into('a', text);
    await world.complete(owner, await into('b', 'printed by b\n'), 13);
    const make = async (body: object, kind = 'snapshots') => {
      const made = await service.call(owner, 'POST', `/api/v1/experiments/${source}/${kind}`, { body });
      expect(made.status).toBe(201);
      return made.json as { id: string; url: string; experiment: string };
    };
    const listed = async (id: string, headers: Record<string, string> | null = null) => {
      const { json } = await service.call(headers ? null : owner, 'GET', path('', id), { headers: headers ?? {} });
      return json.logs as { file_id: string; run: string; kept: boolean; lines: number }[];
    };
    const { id } = await make({});
    await checkUsage(service.store, owner.tenantId);
    const part = await make({ runs: ['b'], tags: ['loss', 'system/logs'] });
    expect((await listed(part.id)).map(({ run }) => run)).toEqual(['b']);
    expect(await listed((await make({ tags: ['loss'] })).id)).toEqual([]);
    const frozen = async (body: object) => {
      const { url, experiment: copy } = await make({ frozen: true, ...body }, 'share-links');
      return listed(copy, { 'plotline-share': url.split('/').at(-1)! });
    };
    expect(await frozen({ logs: true })).toHaveLength(2);
    expect(await frozen({})).toEqual([]);
    const small = (await make({ tags: ['loss'] })).id as ExperimentId;
    await service.store.withTenant(owner.tenantId, (scope) => copyLogs({ scope, blobs: world.blobs }, { from: source, to: small }, 1_000));
    const keptOf = async (copy: string) => Object.fromEntries((await listed(copy)).map(({ run, kept }) => [run, kept]));
    expect(await keptOf(small)).toEqual({ a: false, b: true });

    for (const gone of [source, part.id]) await service.call(owner, 'DELETE', `/api/v1/experiments/${gone}`);
    for (const { deletion_id: deletionId } of await service.sql(`select deletion_id from deletion where finished_at is null`))
      await workOnDeletion(
        world.store,
        world.blobs,
        { tenantId: owner.tenantId, deletionId: String(deletionId) },
        { leaseMs: 60_000, retryMs: 50, rowsAtOnce: 100 },
      );
    await checkUsage(service.store, owner.tenantId);
    const copies = await listed(id);
    expect(await keptOf(id)).toEqual({ a: true, b: true });
    expect(Object.fromEntries(copies.map(({ run, lines: count }) => [run, count]))).toEqual({ a: 40_001, b: 1 });
    const copy = copies.find(({ run }) => run === 'a')!.file_id;
    const read = (query: string) => service.call(owner, 'GET', path(`/${copy}?${query}`, id));
    expect((await read('from=33333&lines=1')).json.content).toEqual([{ line: 33_333, text: lines[33_332] }]);
    expect((await read('search=line%2039999')).json.content.map(({ line }: { line: number }) => line)).toEqual([39_999]);
    expect((await service.call(owner, 'GET', `/api/v1/files/${copy}/content`)).text).toBe(text);
    const complete = copies.find(({ run }) => run === 'b')!.file_id as FileId;
    expect(await joinOriginal(world.store, world.blobs, owner.tenantId, complete)).toBe('joined');
    expect((await service.call(owner, 'GET', path(`/${complete}`, id))).json.content).toEqual([{ line: 1, text: 'printed by b' }]);
  });

  it('of what no log is, or with wrong numbers, are an error', async () => {
    const [event] = await service.sql(`select file_id::text from event_file where name like 'events%' limit 1`);
    for (const id of [String(event!.file_id), '0', 'x']) expect((await get(`/${id}`)).json.code).toBe('file-not-found');
    for (const query of ['from=0', 'from=-1', 'lines=x', `search=${'x'.repeat(201)}`])
      expect((await get(`/${long}?${query}`)).status).toBe(400);
  });

  it('keep their bytes when points are deleted, and go with their run', async () => {
    const { world } = logged;
    const work = async (): Promise<void> => {
      for (const { deletion_id: id } of await service.sql(`select deletion_id from deletion where finished_at is null`)) {
        const waiting = { tenantId: owner.tenantId, deletionId: String(id) };
        expect(await workOnDeletion(world.store, world.blobs, waiting, { leaseMs: 60_000, retryMs: 50, rowsAtOnce: 100 })).toBe('done');
      }
    };
    const remove = (body: object) => service.call(owner, 'POST', `/api/v1/experiments/${experiment}/deletions`, { body });
    await remove({ tags: ['loss'] });
    await work();
    expect((await get(`/${long}?from=7&lines=1`)).json).toMatchObject({ content: [{ text: 'line 7 ü' }], kept: true });
    await remove({ runs: ['secret-run'], tags: ['system/logs'] });
    await work();
    const [dropped] = (await get('?run=secret-run')).json.logs;
    expect([dropped.kept, (await get(`/${dropped.file_id}`)).json.code]).toEqual([false, 'original-gone']);
    const before = (await world.objects(owner)).length;
    await remove({ runs: ['a'] });
    expect((await get(`/${long}`)).json.code).toBe('file-not-found');
    await work();
    expect((await get()).json.logs).toMatchObject([{ run: 'secret-run' }]);
    expect(await service.sql('select 1 from log_index where file_id = $1', [long])).toEqual([]);
    expect((await world.objects(owner)).length).toBeLessThan(before);
  });
});
