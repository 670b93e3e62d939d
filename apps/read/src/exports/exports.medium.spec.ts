import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { readWaitingExports, Store } from '#store';
import { describeWith } from '#testing';
import { collectOrphans } from '../../../ingest/src/deletion/collect-orphans.ts';
import { workOnDeletion } from '../../../ingest/src/deletion/work-on-deletion.ts';
import { removeExports } from '../../../ingest/src/exports/remove-exports.ts';
import { workOnExport } from '../../../ingest/src/exports/work-on-export.ts';
import { publishEpochs } from '../../../ingest/src/publish/publish-epochs.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const bounds = { leaseMs: 15_000, retryMs: 0, maxAttempts: 5, maxClaims: 20, keepMs: 3_600_000 };
const values = [0.1, -0, 1 / 3, Infinity, -Infinity, 1e-310, NaN];
const events = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    step: BigInt(i),
    values: ['loss', 'acc'].map((tag) => ({ tag, scalar: values[i % values.length]! * (i + 1) })),
  }));

describeWith(['postgres'], 'exports', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let store: Store;
  let owner: TestTenant;

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    store = new Store(service.database);
    owner = await service.tenant();
  });
  afterAll(async () => {
    await logged?.close();
    await store?.close();
    await service?.close();
  });

  /** Logs runs that stay visible. */
  const make = async (as: TestTenant, runs: Parameters<LoggedExperiments['make']>[1]): Promise<ExperimentId> => {
    const id = await logged.make(as, runs);
    await publish(as, id);
    return id;
  };
  const publish = (as: TestTenant, id: ExperimentId) => publishEpochs(store, as.tenantId, id, { listeners: [] });
  const at = (id: ExperimentId, rest = ''): string => `/api/v1/experiments/${id}/exports${rest}`;
  const request = (id: ExperimentId, body: object, as: TestTenant | null = owner) => service.call(as, 'POST', at(id), { body });
  const work = async (): Promise<void> => {
    for (let jobs = await readWaitingExports(store.sweeper, 100); jobs.length > 0; jobs = await readWaitingExports(store.sweeper, 100))
      for (const job of jobs) await workOnExport(store, service.blobs, job, bounds);
  };
  const file = async (id: ExperimentId, exportId: string, headers = {}) =>
    fetch(`${service.base}${at(id, `/${exportId}/files/0`)}`, { headers: { authorization: `Bearer ${owner.token}`, ...headers } });
  const objects = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of service.blobs.list(owner.tenantId, 'snapshot/')) keys.push(key);
    return keys;
  };
  const finished = async (id: ExperimentId, body: object): Promise<string> => {
    const { json } = await request(id, body);
    await work();
    return json.id as string;
  };

  it('has every point that the API has, with digests, and any range of it', async () => {
    const id = await make(owner, { a: events(3_000), b: events(50) });
    const asked = await request(id, { format: 'csv' });
    expect([asked.status, asked.json.state]).toEqual([202, 'queued']);
    expect((await service.call(owner, 'GET', at(id, `/${asked.json.id}/manifest`))).json.code).toBe('export-not-finished');
    await work();
    const done = (await service.call(owner, 'GET', at(id, `/${asked.json.id}`))).json;
    expect(done).toMatchObject({ state: 'finished', points: 6_100, total_points: 6_100, files: 1 });

    const { json: manifest } = await service.call(owner, 'GET', at(id, `/${asked.json.id}/manifest`));
    const response = await file(id, asked.json.id);
    const bytes = Buffer.from(await response.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(manifest.files).toEqual([{ path: 'scalars.csv', bytes: bytes.length, sha256 }]);
    expect(response.headers.get('etag')).toBe(`"${sha256}"`);
    const oracle = await service.call(owner, 'POST', `/api/v1/experiments/${id}/scalars/query`, {
      body: { sampling: 'raw' },
      headers: { accept: 'text/csv' },
    });
    expect(bytes.toString().split('\n').sort()).toEqual(oracle.text.split('\r\n').sort());

    const cut = await file(id, asked.json.id, { range: 'bytes=1000-', 'if-range': `"${sha256}"` });
    expect([cut.status, cut.headers.get('content-range')]).toEqual([206, `bytes 1000-${bytes.length - 1}/${bytes.length}`]);
    expect(Buffer.from(await cut.arrayBuffer()).equals(bytes.subarray(1000))).toBe(true);
    expect((await file(id, asked.json.id, { range: 'bytes=5-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await file(id, asked.json.id, { range: `bytes=${bytes.length}-` })).status).toBe(416);
  });

  it('names writers where several log one tag, as the API does', async () => {
    const scalars = (tag: string, scalar = 1) => Array.from({ length: 20 }, (_, i) => ({ step: BigInt(i), values: [{ tag, scalar }] }));
    const id = await make(owner, {});
    const table = async (): Promise<string[]> => {
      await publish(owner, id);
      const bytes = await (await file(id, await finished(id, { format: 'csv' }))).text();
      const oracle = await service.call(owner, 'POST', `/api/v1/experiments/${id}/scalars/query`, {
        body: { sampling: 'raw' },
        headers: { accept: 'text/csv' },
      });
      expect(bytes.split('\n').sort()).toEqual(oracle.text.split('\r\n').sort());
      return bytes.split('\n');
    };
    // Files that overlap in time, each with its own tag
    await logged.log(owner, id, 'run', scalars('loss'), 'events.1.a');
    await logged.log(owner, id, 'run', scalars('acc'), 'events.1.b');
    const { json } = await service.call(owner, 'GET', `/api/v1/experiments/${id}/series`);
    expect(json.series).toHaveLength(2);
    expect((await table())[0]).toBe('run,tag,step,wall_time,value');
    await logged.log(owner, id, 'run', scalars('acc', 2), 'events.1.c');
    const lines = await table();
    expect(lines[0]).toBe('run,tag,writer,step,wall_time,value');
    expect(lines.filter((line) => line.startsWith('run,acc,'))).toHaveLength(40);
  });

  it('spans elements of the snapshot in a range', async () => {
    const id = await make(owner, { long: events(16_000) });
    const exportId = await finished(id, { format: 'jsonl' });
    const bytes = Buffer.from(await (await file(id, exportId)).arrayBuffer());
    expect(bytes.length).toBeGreaterThan(2 * 1024 * 1024);
    for (const [start, end] of [
      [1_048_570, 1_048_581],
      [0, 1_048_576],
      [2_097_152, 2_097_153],
      [500_000, bytes.length],
    ] as const) {
      const part = Buffer.from(await (await file(id, exportId, { range: `bytes=${start}-${end - 1}` })).arrayBuffer());
      expect(part.equals(bytes.subarray(start, end))).toBe(true);
    }
  });

  it('is the same export for the same content, and another one for other content', async () => {
    const id = await make(owner, { a: events(20), b: events(20) });
    const first = await finished(id, { format: 'csv', runs: ['b', 'a'] });
    const again = await request(id, { format: 'csv', runs: ['a', 'b'] });
    expect([again.status, again.json.id, again.json.state]).toEqual([200, first, 'finished']);
    expect((await request(id, { format: 'csv' })).json.id).not.toBe(first);
    await logged.log(owner, id, 'c', events(20));
    await publish(owner, id);
    expect((await request(id, { format: 'csv', runs: ['a', 'b'] })).status).toBe(202);
    await work();
  });

  it('reuses a result that is stored for another request', async () => {
    const id = await make(owner, { a: events(20) });
    const exportId = await finished(id, { format: 'csv' });
    const before = await objects();
    await service.sql('update export_job set content_key = $1 where export_id = $2', [Buffer.alloc(32), exportId]);
    const second = await finished(id, { format: 'csv' });
    expect(second).not.toBe(exportId);
    expect(await objects()).toEqual(before);
    expect(await (await file(id, second)).text()).toBe(await (await file(id, exportId)).text());
  });

  it('counts against the quota until it is canceled, which removes it', async () => {
    const id = await make(owner, { a: events(500) });
    const used = async (): Promise<number> => (await service.call(owner, 'GET', '/api/v1/usage')).json.bytes.exports as number;
    const before = await used();
    const kept = await objects();
    const exportId = await finished(id, { format: 'parquet' });
    const { json: done } = await service.call(owner, 'GET', at(id, `/${exportId}`));
    expect((await used()) - before).toBe(done.bytes);
    expect((await service.call(owner, 'DELETE', at(id, `/${exportId}`))).status).toBe(204);
    expect((await service.call(owner, 'GET', at(id, `/${exportId}`))).json.code).toBe('export-not-found');
    expect((await file(id, exportId)).status).toBe(404);
    await removeExports(store, service.blobs, owner.tenantId);
    expect(await used()).toBe(before);
    expect(await objects()).toEqual(kept);
  });

  it('is gone as soon as any data of the experiment is deleted, and its objects with the deletion', async () => {
    const id = await make(owner, { a: events(50), b: events(50) });
    const kept = await objects();
    const exportId = await finished(id, { format: 'csv' });
    expect((await objects()).length).toBeGreaterThan(kept.length);
    const { json: deletion } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/deletions`, { body: { runs: ['a'] } });
    expect((await file(id, exportId)).status).toBe(404);
    const place = { tenantId: owner.tenantId, deletionId: deletion.id as string };
    expect(await workOnDeletion(store, service.blobs, place, { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 })).toBe('done');
    expect(await objects()).toEqual(kept);
  });

  it('is retried when writing fails, and fails after some attempts', async () => {
    const id = await make(owner, { a: events(50) });
    const kept = await objects();
    const { json } = await request(id, { format: 'csv' });
    const full = Object.assign(Object.create(service.blobs) as typeof service.blobs, {
      put: () => Promise.reject(new Error('the store has a fault')),
    });
    const place = { tenantId: owner.tenantId, exportId: json.id as string };
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await service.call(owner, 'GET', at(id, `/${json.id}`))).json).toMatchObject({ state: attempt === 1 ? 'queued' : 'running' });
      await expect(workOnExport(store, full, place, bounds)).rejects.toThrow('the store has a fault');
    }
    expect((await service.call(owner, 'GET', at(id, `/${json.id}`))).json).toMatchObject({
      state: 'failed',
      problem: 'internal',
      files: 0,
    });
    expect((await objects()).filter((key) => /-\d{8}$/.test(key))).toEqual(kept.filter((key) => /-\d{8}$/.test(key)));
    // The next request for the same content creates another export.
    const again = await finished(id, { format: 'csv' });
    expect((await file(id, again)).status).toBe(200);
  });

  it('has orphan objects only after its row is gone', async () => {
    const id = await make(owner, { a: events(50) });
    const kept = await objects();
    const exportId = await finished(id, { format: 'csv' });
    const collect = () => collectOrphans(store, service.blobs, -1); // even what was written in this millisecond is old
    const all = await objects();
    await collect();
    expect(await objects()).toEqual(all);
    await service.sql('delete from export_job where export_id = $1', [exportId]);
    expect((await collect()).removed).toBe(all.length - kept.length);
    expect(await objects()).toEqual(kept);
  });

  it('is for members of the workspace only', async () => {
    const id = await make(owner, { a: events(5) });
    const exportId = await finished(id, { format: 'csv' });
    const stranger = await service.tenant('Other');
    for (const path of ['', `/${exportId}`, `/${exportId}/manifest`, `/${exportId}/files/0`]) {
      expect((await service.call(stranger, 'GET', at(id, path))).json.code, path).toBe('experiment-not-found');
      expect((await service.call(null, 'GET', at(id, path))).status, path).toBe(401);
    }
    expect((await request(id, { format: 'csv' }, stranger)).json.code).toBe('experiment-not-found');
    expect((await service.call(owner, 'GET', at(id, '/not-an-id'))).json.code).toBe('export-not-found');
    expect((await request(id, { format: 'zip' })).status).toBe(400);
    for (const names of [{ runs: ['a', 'gone'] }, { tags: ['loss', 'none'] }]) {
      const { status, json } = await request(id, { format: 'csv', ...names });
      expect([status, json.code]).toEqual([404, 'not-found']);
      expect(json.detail).toMatch(/no (run "gone"|tag "none")/);
    }
  });

  it('runs one at a time per workspace', async () => {
    const other = await service.tenant('Quiet');
    const mine = await Promise.all([1, 2, 3].map((count) => make(owner, { a: events(count) })));
    for (const id of mine) await request(id, { format: 'csv' });
    const theirs = await make(other, { a: events(3) });
    await request(theirs, { format: 'csv' }, other);
    const round = (await readWaitingExports(store.sweeper, 100)).map(({ tenantId }) => tenantId);
    expect(round.filter((tenantId) => tenantId === owner.tenantId)).toHaveLength(1);
    expect(round.filter((tenantId) => tenantId === other.tenantId)).toHaveLength(1);
    await work();
    expect(await readWaitingExports(store.sweeper, 100)).toEqual([]);
  });
});
