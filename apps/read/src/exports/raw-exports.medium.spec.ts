import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { readWaitingExports, Store } from '#store';
import { describeWith } from '#testing';
import { workOnDeletion } from '../../../ingest/src/deletion/work-on-deletion.ts';
import { workOnExport } from '../../../ingest/src/exports/work-on-export.ts';
import { recordsOf } from '../../../ingest/src/testing/deletion-world.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const bounds = { leaseMs: 15_000, retryMs: 0, maxAttempts: 5, maxClaims: 20, keepMs: 3_600_000 };
const name = 'events.1.secret-host';
const events = (count: number, tags: readonly string[] = ['loss']) =>
  Array.from({ length: count }, (_, i) => ({ step: BigInt(i), values: tags.map((tag) => ({ tag, scalar: i / 7 })) }));

interface Manifest {
  readonly files: readonly { readonly path: string; readonly run: string; readonly version: number; readonly rewritten: boolean }[];
  readonly left_out: readonly object[];
}

describeWith(['postgres'], 'exports of event files as uploaded', () => {
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

  const at = (id: ExperimentId, rest = ''): string => `/api/v1/experiments/${id}/exports${rest}`;
  const request = (id: ExperimentId, body: object = {}) => service.call(owner, 'POST', at(id), { body: { format: 'raw', ...body } });
  const work = async (): Promise<void> => {
    for (const job of await readWaitingExports(store.sweeper, 100)) await workOnExport(store, service.blobs, job, bounds);
  };
  const bytesOf = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${service.base}${path}`, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  /** Writes an export, and reads its manifest and files; the digests are checked. */
  const finished = async (id: ExperimentId, body: object = {}): Promise<{ manifest: Manifest; files: Buffer[]; job: object }> => {
    const { json } = await request(id, body);
    await work();
    const { json: job } = await service.call(owner, 'GET', at(id, `/${json.id}`));
    expect(job.state).toBe('finished');
    const { json: manifest } = await service.call(owner, 'GET', at(id, `/${json.id}/manifest`));
    const files: Buffer[] = [];
    for (const [number, { sha256, bytes }] of manifest.files.entries()) {
      const file = await bytesOf(at(id, `/${json.id}/files/${number}`));
      expect([file.length, createHash('sha256').update(file).digest('hex')]).toEqual([bytes, sha256]);
      files.push(file);
    }
    return { manifest: manifest as Manifest, files, job };
  };

  it('have the bytes of every file, also of files that are not visible yet, and some runs on request', async () => {
    const id = await logged.world.experiment(owner);
    const wanted = new Map<string, Buffer>();
    for (const [run, path] of [
      ['.', name],
      ['a/b', `a/b/${name}`],
      ['c', `c/${name}`],
    ] as const) {
      const bytes = Buffer.concat([recordsOf(events(2_000), true), Buffer.from('an unfinished record')]);
      const fileId = await logged.world.open(owner, id, run, name);
      await logged.world.append(owner, id, fileId, 0, bytes.subarray(0, 70_000));
      if (run !== 'c') await logged.world.ingest(owner);
      await logged.world.append(owner, id, fileId, 70_000, bytes.subarray(70_000));
      wanted.set(path, bytes);
    }
    const { manifest, files, job } = await finished(id);
    const exported = new Map(manifest.files.map(({ path }, i) => [path, files[i]!]));
    expect([...exported.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [path, bytes] of wanted) expect(exported.get(path)!.equals(bytes), path).toBe(true);
    const all = [...wanted.values()].reduce((sum, { length }) => sum + length, 0);
    expect(job).toMatchObject({ format: 'raw', points: 0, files: 3, bytes: all, total_bytes: all });
    expect(manifest).toMatchObject({ format: 'raw', left_out: [], runs: null, tags: null });
    expect((await finished(id, { runs: ['c'] })).manifest.files).toMatchObject([{ path: `c/${name}`, run: 'c', version: 1 }]);
    // The same export is returned until the content grows
    expect((await request(id)).status).toBe(200);
    await logged.world.append(owner, id, await logged.world.open(owner, id, 'd', name), 0, recordsOf(events(1), true));
    expect((await request(id)).status).toBe(202);
    await work();
  });

  it('show their progress in bytes', async () => {
    const id = await logged.make(owner, { a: events(3_000), b: events(3_000) });
    const { json } = await request(id);
    const seen: { bytes: number; total_bytes: number }[] = [];
    const watched = Object.assign(Object.create(service.blobs) as typeof service.blobs, {
      put: async (...args: Parameters<typeof service.blobs.put>) => {
        seen.push((await service.call(owner, 'GET', at(id, `/${json.id}`))).json);
        return service.blobs.put(...args);
      },
    });
    await workOnExport(store, watched, { tenantId: owner.tenantId, exportId: json.id as string }, bounds);
    const { json: done } = await service.call(owner, 'GET', at(id, `/${json.id}`));
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.map(({ total_bytes }) => total_bytes))).toEqual(new Set([done.bytes]));
  });

  it('have no deleted points, and say which files are rewritten', async () => {
    const id = await logged.make(owner, { a: events(50, ['loss', 'secret']), b: events(50) });
    const { json: deletion } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/deletions`, {
      body: { runs: ['a'], tags: ['secret'] },
    });
    const place = { tenantId: owner.tenantId, deletionId: deletion.id as string };
    expect(await workOnDeletion(store, service.blobs, place, { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 })).toBe('done');
    const { manifest, files } = await finished(id);
    expect(manifest.files.map(({ run, rewritten }) => [run, rewritten])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(files[0]!.includes('secret')).toBe(false);
    const { json: listed } = await service.call(owner, 'GET', `/api/v1/experiments/${id}/files`);
    for (const [i, { file_id: fileId }] of listed.files.entries())
      expect(files[i]!.equals(await bytesOf(`/api/v1/files/${fileId}/content`))).toBe(true);
  });

  it('list the files that are not kept or are lost, and are an error if none is left', async () => {
    const id = await logged.make(owner, { a: events(5), b: events(5), c: events(5) });
    const file = async (run: string): Promise<string> => {
      const { json } = await service.call(owner, 'GET', `/api/v1/experiments/${id}/files`);
      return json.files.find((one: { run: string }) => one.run === run).file_id as string;
    };
    await service.sql('update event_file set dropped_bytes = durable_offset, received_crc32c = crc32c where file_id = $1', [
      await file('a'),
    ]);
    await service.sql(`update segment set object_key = 'segment/x', body = null where file_id = $1`, [await file('b')]);
    await service.sql(
      `insert into lost_range (tenant_id, file_id, object_key, "offset", bytes, reason) values ($1, $2, 'segment/x', 0, 10, 'missing')`,
      [owner.tenantId, await file('b')],
    );
    const { manifest } = await finished(id);
    expect(manifest.files).toMatchObject([{ run: 'c' }]);
    expect(manifest.left_out).toEqual([
      { run: 'a', name, version: 1, reason: 'original-gone' },
      { run: 'b', name, version: 1, reason: 'stored-bytes-lost' },
    ]);
    const { status, json } = await request(id, { runs: ['a', 'b'] });
    expect([status, json.code]).toEqual([410, 'original-gone']);
  });

  it('fail at once if stored bytes are found damaged', async () => {
    const id = await logged.make(owner, { a: events(50) });
    await service.sql(
      'update segment set body = set_byte(body, 40, 255 - get_byte(body, 40)) where file_id in (select file_id from event_file where experiment_id = $1)',
      [id],
    );
    const { json } = await request(id);
    await expect(work()).rejects.toMatchObject({ code: 'stored-bytes-lost' });
    expect((await service.call(owner, 'GET', at(id, `/${json.id}`))).json).toMatchObject({
      state: 'failed',
      problem: 'stored-bytes-lost',
      files: 0,
      bytes: 0,
    });
  });

  it('are of whole files', async () => {
    const id = await logged.make(owner, { a: events(5) });
    const { status, json } = await request(id, { tags: ['loss'] });
    expect([status, json.code]).toEqual([400, 'bad-request']);
    expect(json.detail).toContain('Event files contain all tags');
  });
});
