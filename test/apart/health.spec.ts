import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, freePort, writeEventFile } from '#testing';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import type { Program, ProgramKind } from './program.ts';

const event = (step: number): Uint8Array => writeEventFile([{ step, wallTime: 1, simpleValues: { loss: step } }]);

interface Health {
  readonly status: number;
  readonly detail: string;
}

async function ask(program: Program, path: '/healthz' | '/readyz'): Promise<Health> {
  const response = await fetch(program.url + path, { signal: AbortSignal.timeout(10_000) });
  const { detail = '' } = (await response.json()) as { detail?: string };
  return { status: response.status, detail };
}

describeWith(['postgres', 'redis', 's3'], 'separate processes report their health', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart', env: { PLOTLINE_STALL_SECONDS: '3' } });
  });
  afterAll(() => service.dispose());

  const one = (kind: ProgramKind): Program => service.apart.programs.of(kind)[0]!;
  const isReady = async (kind: ProgramKind, reason: RegExp | null): Promise<void> => {
    await expect
      .poll(() => ask(one(kind), '/readyz'), { timeout: 60_000, interval: 250 })
      .toEqual(reason === null ? { status: 200, detail: '' } : { status: 503, detail: expect.stringMatching(reason) });
  };
  const allAlive = async () => {
    for (const program of service.apart.programs.all) expect(await ask(program, '/healthz')).toEqual({ status: 200, detail: '' });
  };

  it('when everything works', async () => {
    await allAlive();
    for (const kind of ['upload', 'ingest', 'read'] as const) await isReady(kind, null);
  });

  it('an ingest process has no other routes', async () => {
    for (const path of ['/', '/api/v1/server', '/api/v1/experiments', '/metrics', '/healthz/'])
      expect((await fetch(one('ingest').url + path)).status, path).toBe(401);
  });

  it('without Redis, bytes are acknowledged and become visible, all processes are ready, and the queue is used again afterwards (reliability tests 60, 61)', async () => {
    const { redis } = service.apart;
    const sender = await Sender.start(service);
    await redis.kill();
    for (const run of ['run', 'other']) {
      await sender.send(run, event(1));
      await sender.visible();
    }
    for (const kind of ['upload', 'ingest', 'read'] as const) await isReady(kind, null);
    await allAlive();
    await redis.wipe();
    await redis.start();
    const client = new Redis(redis.url);
    try {
      // BullMQ's event for a finished job; the queue has been wiped.
      const isUsed = async () => (await client.xrange('{plotline}:ingest-run:events', '-', '+')).flat(2).includes('completed');
      for (let run = 0; !(await isUsed()); run++) {
        expect(run).toBeLessThan(60);
        await sender.send(`later-${run}`, event(2));
        await sender.visible();
      }
    } finally {
      client.disconnect();
    }
  });

  it('while ingest cannot write, bytes are acknowledged and ingest is not ready; it recovers by itself (reliability test 60)', async () => {
    const sender = await Sender.start(service);
    const client = new pg.Client({ connectionString: service.apart.postgres.url('postgres', 'plotline') });
    await client.connect();
    try {
      await client.query('begin');
      // Readers are not blocked.
      await client.query('lock table series, series_stats, scalar_chunk, run_tail in share mode');
      await sender.send('run', event(1));
      await isReady('ingest', /Nothing was ingested for \d+ s, and 1 segments/);
      expect(await ask(one('upload'), '/readyz')).toMatchObject({ status: 200 });
      await sender.send('other', event(2));
    } finally {
      await client.end();
    }
    await sender.visible();
    await isReady('ingest', null);
  });

  it('without the object store, upload is not ready', async () => {
    await service.apart.s3.kill();
    await isReady('upload', /object store/);
    await allAlive();
    await service.apart.s3.start();
    await isReady('upload', null);
  });

  it('with a Postgres that does not respond, upload and read are not ready; they recover with it (reliability test 62)', async () => {
    const sender = await Sender.start(service);
    const postmaster = await service.postgresPid();
    const backends = await service.apart.backends();
    for (const pid of [postmaster, ...backends]) process.kill(pid, 'SIGSTOP');
    try {
      await Promise.all([isReady('upload', /database/), isReady('read', /database/)]);
      await allAlive();
    } finally {
      for (const pid of [postmaster, ...backends]) process.kill(pid, 'SIGCONT');
    }
    await Promise.all([isReady('upload', null), isReady('read', null), isReady('ingest', null)]);
    await sender.send('run', event(1));
    await sender.visible();
  });
});

describeWith(['postgres', 'redis', 's3'], 'metrics of separate processes', () => {
  it('have a separate port, count events, and contain no names', async () => {
    const service = await Service.start({ processes: 'apart' });
    try {
      const ports: Record<string, number> = {};
      for (const kind of ['upload', 'ingest', 'read'] as const) {
        ports[kind] = await freePort();
        await service.apart.programs.of(kind)[0]!.end('SIGTERM');
        await service.apart.programs.of(kind)[1]!.end('SIGTERM');
        await service.apart.programs.start(kind, 1, { PLOTLINE_METRICS_PORT: String(ports[kind]) });
      }
      const sender = await Sender.start(service);
      const bytes = event(1);
      await sender.send('secret-run', bytes);
      await sender.visible();
      const metricsOf = async (kind: string) => (await fetch(`http://127.0.0.1:${ports[kind]}/metrics`)).text();
      const all = { upload: await metricsOf('upload'), ingest: await metricsOf('ingest'), read: await metricsOf('read') };
      expect(all.upload).toContain(`plotline_acknowledged_bytes_total ${bytes.length}`);
      expect(all.upload).toMatch(
        /^plotline_http_request_duration_seconds_count\{method="PATCH",route="\/api\/v1\/files\/:fileId",status="204"\} 1$/m,
      );
      expect(all.ingest).toMatch(/^plotline_ingested_points_total 1$/m);
      expect(all.ingest).toMatch(/^plotline_pending_segments \d+$/m);
      expect(all.ingest).toMatch(/^plotline_queue_jobs\{what="started"\} [1-9]\d*$/m);
      expect(all.read).toMatch(
        /^plotline_http_request_duration_seconds_bucket\{le="10",.*route="\/api\/v1\/experiments\/:experimentId\/frontier"/m,
      );
      for (const text of Object.values(all)) {
        expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
        expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
        for (const secret of [sender.experimentId, 'secret-run', await service.token(), 'postgres:', 'redis:'])
          expect(text).not.toContain(secret);
      }
      expect((await fetch(`http://127.0.0.1:${ports.upload}/healthz`)).status).toBe(404);
      expect((await fetch(`http://127.0.0.1:${ports.upload}/metrics`, { method: 'POST' })).status).toBe(405);
      expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
      await expect(
        service.apart.programs.start('read', 1, { PLOTLINE_METRICS_PORT: '0', PLOTLINE_METRICS_HOST: '0.0.0.0' }),
      ).rejects.toThrow(/PLOTLINE_METRICS_TOKEN is not set/);
      const guarded = await freePort();
      await service.apart.programs.start('read', 1, {
        PLOTLINE_METRICS_PORT: String(guarded),
        PLOTLINE_METRICS_HOST: '0.0.0.0',
        PLOTLINE_METRICS_TOKEN: 'a-token-of-enough-letters',
      });
      const asked = (path: string, token?: string) =>
        fetch(`http://127.0.0.1:${guarded}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
      expect((await asked('/metrics')).status).toBe(401);
      expect((await asked('/', 'a-token-of-enough-letter')).status).toBe(401);
      expect((await asked('/metrics', 'a-token-of-enough-letters')).status).toBe(200);
    } finally {
      await service.dispose();
    }
  });
});
