import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { experimentIdOf } from '#model/testing';
import { describeWith } from '#testing';
import { UploadModule } from '../../../upload/src/upload.module.ts';
import { workOnDeletion } from '../../../ingest/src/deletion/work-on-deletion.ts';
import { checkUsage } from '../../../ingest/src/testing/check-usage.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ApiResponse, type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const large = Array.from({ length: 6_000 }, (_, i) => i); // above what a row stores of a tensor
const events = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    step: BigInt(from + i),
    values: [
      { tag: 'loss', scalar: 1 / (from + i + 1) },
      { tag: 'acc', scalar: from + i },
      ...(i % 50 === 0
        ? [
            { tag: 'weights', tensor: large.map((value) => value + from) },
            { tag: 'text', text: `step ${from + i}` },
            { tag: 'image', images: [Buffer.from(`picture ${from}`)] },
          ]
        : []),
    ],
  }));

describeWith(['postgres'], 'snapshots', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;

  beforeAll(async () => {
    service = await startReadService('http://plots.example', [UploadModule]);
    logged = new LoggedExperiments(service);
    owner = await service.tenant('Lab');
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const at = (id: string, rest = '') => `/api/v1/experiments/${id}${rest}`;
  const snapshot = (id: string, body: object = {}, as = owner): Promise<ApiResponse> =>
    service.call(as, 'POST', at(id, '/snapshots'), { body });
  /**
   * Three runs. One has two files, and the later file supersedes the earlier. Another has points
   * only in its tail.
   */
  const source = async (): Promise<string> => {
    const id = await logged.make(owner, { 'lr=0.1': events(0, 3_000), 'lr=0.2': events(0, 700), live: events(0, 40) }, 'resnet');
    await logged.log(owner, id, 'lr=0.1', events(2_500, 1_000), 'events.2.secret-host');
    return id;
  };
  const questions: readonly [string, string, object?][] = [
    ['GET', '/runs'],
    ['GET', '/series?unlisted=true'],
    ['POST', '/scalars/query', {}],
    ['POST', '/scalars/query', { points: 50 }],
    ['POST', '/scalars/query', { sampling: 'raw' }],
    ['POST', '/scalars/query', { sampling: 'raw', superseded: true }],
    ['POST', '/scalars/query', { sampling: 'last', points: 7 }],
    ['POST', '/tensors/query', {}],
    ['POST', '/blob-sequences/query', {}],
  ];
  /** All visible contents. Ids, and the byte counts of the frontier, are specific to the copy. */
  const contents = async (id: string): Promise<string[]> => {
    const texts = [];
    for (const [method, rest, body] of questions) {
      const { status, text } = await service.call(owner, method, at(id, rest), { body });
      expect([rest, status]).toEqual([rest, 200]);
      // A copy receives no data, so it has no heartbeat
      texts.push(
        text
          .replace(/"heartbeat":[^,]*,/g, '')
          .replace(/"frontier":\{[^}]*\}/, '')
          .replace(/"(key|url)":"[^"]*"/g, ''),
      );
    }
    return texts;
  };
  const whole = async (id: string): Promise<string[]> => {
    const texts = [];
    for (const [method, rest, body] of [...questions, ['GET', ''], ['GET', '/receipt'], ['GET', '/frontier']] as typeof questions)
      texts.push((await service.call(owner, method, at(id, rest), { body })).text);
    return texts;
  };

  it('count against the usage of the workspace, whole or in parts', async () => {
    const lab = await service.tenant('Lab');
    const id = await logged.make(lab, { one: events(0, 200), live: events(0, 40) }, 'resnet');
    for (const body of [{}, { tags: ['loss', 'weights'] }, { runs: ['live'] }]) {
      expect((await snapshot(id, body, lab)).status).toBe(201);
      await checkUsage(service.store, lab.tenantId);
    }
  });

  it('need free quota of the workspace, and leave nothing otherwise', async () => {
    for (const quota of ['experiments', 'points', 'series', 'bytes']) {
      const lab = await service.tenant('Lab');
      const id = await logged.make(lab, { one: events(0, 200) }, 'resnet');
      const used = (await service.call(lab, 'GET', '/api/v1/usage')).json.quotas[quota].used;
      await service.sql(`insert into workspace_limits (tenant_id, ${quota}) values ($1, $2)`, [lab.tenantId, used]);
      const rejected = async () => [
        (await snapshot(id, {}, lab)).json,
        (await service.call(lab, 'POST', at(id, '/share-links'), { body: { frozen: true } })).json,
      ];
      // The quotas of the workspace were cached a moment ago.
      await expect
        .poll(async () => (await service.call(lab, 'GET', '/api/v1/usage')).json.quotas[quota].limit, {
          timeout: 10_000,
        })
        .toBe(used);
      for (const json of await rejected()) expect(json).toMatchObject({ code: 'quota-exceeded', quota, limit: used });
      expect(await service.sql('select count(*)::int as n from experiment where tenant_id = $1', [lab.tenantId])).toEqual([{ n: 1 }]);
      expect(await service.sql('select from share_link where tenant_id = $1', [lab.tenantId])).toEqual([]);
    }
  });

  it('return the same responses as the experiment, and name their source', async () => {
    const id = await source();
    const [{ tails }] = (await service.sql(
      'select count(*)::int as tails from run_tail t join run r using (tenant_id, run_id) where r.experiment_id = $1',
      [id],
    )) as [{ tails: number }];
    expect(tails).toBeGreaterThan(0);
    const made = await snapshot(id, { name: 'as published' });
    expect(made.status).toBe(201);
    const { json: frontier } = await service.call(owner, 'GET', at(id, '/frontier'));
    expect(made.json).toMatchObject({
      name: 'as published',
      snapshot: { of: id, epoch: frontier.epoch },
      runs: 3,
      received: null,
      frontier: { epoch: frontier.epoch, visible: true },
    });
    expect((await service.call(owner, 'GET', at(id))).json.received).not.toBeNull();
    expect(await contents(made.json.id)).toEqual(await contents(id));
    const { json: receipt } = await service.call(owner, 'GET', at(made.json.id, '/receipt'));
    const { json: original } = await service.call(owner, 'GET', at(id, '/receipt'));
    expect(receipt.totals).toEqual(original.totals);
    expect(receipt.digest).toBe(original.digest);
    expect(receipt.files.map(({ original_kept: kept }: Loose) => kept)).toEqual([false, false, false, false]);
  });

  it('copy every column that holds points', async () => {
    const id = await source();
    const copy = (await snapshot(id)).json.id as string;
    for (const [table, join] of [
      ['scalar_chunk', 'join series s using (tenant_id, series_id)'],
      ['scalar_rollup', 'join series s using (tenant_id, series_id)'],
      ['tensor_value', 'join series s using (tenant_id, series_id)'],
      ['blob_sequence_value', 'join series s using (tenant_id, series_id)'],
      ['series_stats', 'join series s using (tenant_id, series_id)'],
      ['run_state', 'join run s using (tenant_id, run_id)'],
      ['file_progress', 'join event_file s using (tenant_id, file_id)'],
      ['series', 'join run s using (tenant_id, run_id)'],
      ['run', 'join run s using (tenant_id, run_id)'],
    ] as const) {
      const rows = (of: string) =>
        service.sql(
          `select (to_jsonb(t) - '{tenant_id,experiment_id,run_id,series_id,file_id,ingested_at}'::text[])::text as row from ${table} t ${join} where s.experiment_id = $1 order by 1`,
          [of],
        );
      expect([table, await rows(copy)]).toEqual([table, await rows(id)]);
    }
  });

  it('do not change when the experiment grows, or is deleted with all its objects', async () => {
    const id = experimentIdOf(await source());
    const copy = (await snapshot(id)).json.id as string;
    const before = await whole(copy);
    await logged.log(owner, id, 'lr=0.2', events(700, 500), 'events.2.secret-host');
    await logged.log(owner, id, 'lr=0.3', events(0, 10));
    expect(await whole(copy)).toEqual(before);
    const removal = await service.call(owner, 'DELETE', at(id));
    const deletionId = removal.headers.get('location')!.split('/').at(-1)!;
    const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 500 };
    await vi.waitUntil(
      async () => (await workOnDeletion(logged.world.store, service.blobs, { tenantId: owner.tenantId, deletionId }, bounds)) === 'done',
      { timeout: 30_000 },
    );
    expect(await whole(copy)).toEqual(before);
    const { json } = await service.call(owner, 'POST', at(copy, '/blob-sequences/query'), { body: { tags: ['image'] } });
    const url = /"url":"([^"]+)"/.exec(JSON.stringify(json))![1]!;
    expect((await service.call(owner, 'GET', new URL(url, 'http://plots.example').pathname)).status).toBe(200);
    expect((await service.call(owner, 'DELETE', at(copy))).status).toBe(204);
  });

  it('reject uploads and changes, and have no event files', async () => {
    const id = await source();
    const copy = (await snapshot(id)).json.id as string;
    const { json } = await service.call(owner, 'GET', at(copy, '/files'));
    const fileId = json.files[0].file_id as string;
    for (const [method, path, body] of [
      ['PATCH', at(copy), { name: 'other' }],
      ['POST', at(copy, '/files'), { run: 'lr=0.1', name: 'events.out.tfevents.9' }],
      ['POST', at(copy, '/deletions'), { runs: ['lr=0.1'] }],
      ['POST', `/api/v1/files/${fileId}/complete`, { bytes: 1, crc32c: '00000000' }],
    ] as const) {
      const response = await service.call(owner, method, path, { body });
      expect([path, response.status, response.json.code]).toEqual([path, 409, 'experiment-frozen']);
    }
    const append = await fetch(`${service.base}/api/v1/files/${fileId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/octet-stream',
        'upload-offset': String(json.files[0].bytes),
        'content-digest': 'crc32c=:AAAAAA==:',
      },
      body: 'x',
    });
    expect([append.status, ((await append.json()) as Loose).code]).toEqual([409, 'experiment-frozen']);
    expect((await service.call(owner, 'GET', `/api/v1/files/${fileId}/content`)).json.code).toBe('original-gone');
    expect((await service.call(owner, 'PATCH', at(copy), { body: { visibility: 'public' } })).json.visibility).toBe('public');
  });

  it('of a part contain nothing else', async () => {
    const id = await source();
    await service.sql(`update run_state set hparams = '{"a": 1}' where experiment_id = $1`, [id]);
    const copy = (await snapshot(id, { runs: ['lr=0.1'], tags: ['loss', 'image'] })).json.id as string;
    const { json } = await service.call(owner, 'GET', at(copy, '/series?unlisted=true'));
    // The files of this run overlap in time: each of the two writers has separate series.
    expect(json.series.map(({ run, tag, writer }: Loose) => [run, tag, writer])).toEqual([
      ['lr=0.1', 'image', 0],
      ['lr=0.1', 'image', 1],
      ['lr=0.1', 'loss', 0],
      ['lr=0.1', 'loss', 1],
    ]);
    expect((await service.call(owner, 'GET', at(copy, '/runs'))).json.runs).toMatchObject([{ run: 'lr=0.1', hparams: {} }]);
    const raw = async (of: string) =>
      (await service.call(owner, 'POST', at(of, '/scalars/query'), { body: { runs: ['lr=0.1'], tags: ['loss'], sampling: 'raw' } })).json
        .series;
    expect(await raw(copy)).toEqual(await raw(id));
    const rows = await service.sql(
      'select count(*)::int as n from tensor_value v join series s using (tenant_id, series_id) where s.experiment_id = $1',
      [copy],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('are shown by frozen links, which lead to the copy and never to the experiment', async () => {
    const id = experimentIdOf(await source());
    const body = { frozen: true, anonymous: true, tags: ['loss'] };
    const made = await service.call(owner, 'POST', at(id, '/share-links'), { body });
    expect(made.json).toMatchObject({ frozen: true });
    expect(made.json.experiment).not.toBe(id);
    const headers = { 'plotline-share': String(made.json.url).split('/').at(-1)! };
    const read = (rest: string) => service.call(null, 'GET', at(made.json.experiment, rest), { headers });
    const before = (await read('/scalars')).text;
    expect((await read('')).json).toMatchObject({ owner: null, workspace: null, snapshot: null });
    expect((await read('')).text).not.toContain(id);
    await logged.log(owner, id, 'lr=0.2', events(700, 500), 'events.2.secret-host');
    expect((await service.call(owner, 'DELETE', at(id))).status).toBe(204);
    expect((await read('/scalars')).text).toBe(before);
    expect((await service.call(null, 'GET', at(id), { headers })).status).toBe(404);
    const listed = await service.call(owner, 'GET', at(made.json.experiment, '/share-links'));
    expect(listed.json.share_links).toMatchObject([{ id: made.json.id, frozen: true }]);
  });

  it('are created one at a time: many concurrent requests keep one connection busy', async () => {
    const lab = await service.tenant('Lab');
    const id = await logged.make(lab, { r: events(0, 10) });
    const held = new pg.Client({ connectionString: service.database.adminUrl });
    await held.connect();
    try {
      await held.query('begin');
      await held.query('select pg_advisory_xact_lock(hashtextextended($1, 21))', [lab.tenantId]); // like another snapshot being created
      const busy = await Promise.all([
        snapshot(id, {}, lab),
        service.call(lab, 'POST', at(id, '/share-links'), { body: { frozen: true } }),
      ]);
      for (const { status, json, headers } of busy)
        expect([status, json.code, headers.get('retry-after')]).toEqual([429, 'rate-limited', '5']);
      const other = await logged.make(owner, { r: events(0, 10) });
      expect((await snapshot(other, {}, owner)).status).toBe(201); // other workspaces are not affected
    } finally {
      await held.end();
    }
    expect((await snapshot(id, {}, lab)).status).toBe(201);
  });

  it('may take longer than statements of other requests', async () => {
    const hasty = await startReadService('http://plots.example', [UploadModule], { storeOptions: { statementMs: 500 } });
    const [held, watch] = await Promise.all(
      [1, 2].map(async () => {
        const client = new pg.Client({ connectionString: hasty.database.adminUrl });
        await client.connect();
        return client;
      }),
    );
    const experiments = new LoggedExperiments(hasty);
    try {
      const lab = await hasty.tenant('Lab');
      const id = await experiments.make(lab, { r: events(0, 10) });
      await held!.query('begin');
      await held!.query('lock table run_tail in access exclusive mode');
      const response = hasty.call(lab, 'POST', at(id, '/snapshots'), { body: {} });
      await vi.waitUntil(
        async () =>
          (
            await watch!.query(
              `select from pg_stat_activity where query like '%copy-experiment *%' and now() - query_start > '1 s'::interval and pid <> pg_backend_pid()`,
            )
          ).rowCount === 1,
        { timeout: 30_000 },
      );
      await held!.query('commit');
      expect((await response).status).toBe(201);
    } finally {
      await Promise.all([held!.end(), watch!.end()]);
      await experiments.close();
      await hasty.close();
    }
  });

  it('are created once per key, by those who may read and add', async () => {
    const id = await logged.make(owner, { r: events(0, 10) });
    const headers = { 'idempotency-key': 'once' };
    const ids = new Set();
    for (let i = 0; i < 2; i++) ids.add((await service.call(owner, 'POST', at(id, '/snapshots'), { body: {}, headers })).json.id);
    expect(ids.size).toBe(1);
    expect((await snapshot(id, {}, await service.tenant('Other'))).status).toBe(404);
    const reader = await service.call(owner, 'POST', '/api/v1/tokens', { body: { name: 'r', scopes: ['read'] } });
    expect((await snapshot(id, {}, { ...owner, token: reader.json.token })).status).toBe(403);
  });
});
