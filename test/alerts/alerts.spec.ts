import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, writeEventFile } from '#testing';
import type { Program, ProgramKind } from '../apart/program.ts';
import { moveTables } from '../chaos/degraded/move-tables.ts';
import { SmallDisk } from '../chaos/degraded/small-disk.ts';
import { Sender } from '../e2e/sender.ts';
import { Cli, Service } from '../e2e/service.ts';
import { Prometheus, type Target } from './prometheus.ts';

/*
 * For each alert, the test creates the cause in a running service, and checks that Prometheus finds
 * the rule's expression true. For most alerts, it also checks that the remedy in docs/runbook.md
 * ends the alert. The test takes minutes, so it runs only with ALERTS=all.
 */

const event = (step: number): Uint8Array => writeEventFile([{ step, wallTime: 1, scalars: { loss: step } }]);
const many = writeEventFile(
  Array.from({ length: 20_000 }, (_, step) => ({ step, wallTime: 1 + step, scalars: { loss: Math.sin(step * step) } })),
);
const canMakeDisks = await SmallDisk.isPossible();
const slow = { timeout: 150_000, interval: 500 };

describe.skipIf(process.env.ALERTS !== 'all')('with ALERTS=all', () => {
  describeWith(['postgres', 'redis', 's3', 'prometheus'], 'an alert is raised by its cause', () => {
    let service: Service;
    let prometheus: Prometheus;
    let admin: pg.Client;
    /** The tablespace to which Postgres' tables return after a test. */
    let disk: SmallDisk | null = null;

    /** The processes' logs contain their metrics ports, because each start uses another port. */
    const targetOf = (name: string, output: string) => ({
      service: `plotline-${name}`,
      address: [...output.matchAll(/http:\/\/(127\.0\.0\.1:\d+)\/metrics/g)].at(-1)![1]!,
    });
    const watchAll = (programs: readonly Program[] = service.apart.programs.all, others: readonly Target[] = []): Promise<void> =>
      prometheus.watch([...programs.map(({ kind, output }) => targetOf(kind, output)), ...others]);
    const raised = async (): Promise<string[]> => [...new Set((await prometheus.alerts()).map(({ labels }) => labels.alertname))].sort();
    const raises = async (alert: string): Promise<void> => {
      await expect.poll(raised, slow).toContain(alert);
    };
    const ends = async (alert: string): Promise<void> => {
      await expect.poll(raised, slow).not.toContain(alert);
    };
    const one = (kind: ProgramKind): Program => service.apart.programs.of(kind)[0]!;
    const appendTo = async (sender: Sender, run: string): Promise<number> => {
      const { file_id: fileId } = await sender.announce(run);
      return (await sender.append(fileId, 0, event(1))).status;
    };

    beforeAll(async () => {
      service = await Service.start({ processes: 'apart', env: { PLOTLINE_METRICS_PORT: '0' } });
      prometheus = await Prometheus.start();
      await watchAll();
      admin = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
      await admin.connect();
      await admin.query('set synchronous_commit = local');
    });
    afterEach(async () => {
      await service.start(); // restarts what a test has stopped
      await watchAll();
    });
    afterAll(async () => {
      await admin?.end();
      await prometheus?.stop();
      await service?.dispose();
      await disk?.unmount();
    });

    it('is silent while everything works', async () => {
      await expect.poll(() => prometheus.values('sum(up)')).toEqual([service.apart.programs.all.length]);
      const sender = await Sender.start(service);
      await sender.send('run', event(1));
      await sender.visible();
      await sleep(3_000); // three Prometheus rounds, which must find nothing
      expect((await raised()).filter((alert) => alert !== 'PlotlineEventLoopSlow')).toEqual([]); // this machine may be slow
    });

    it('PlotlineDown: a process was killed; another one does not answer', async () => {
      await one('read').end('SIGKILL');
      await raises('PlotlineDown');
      await service.start();
      await watchAll();
      await ends('PlotlineDown');
      one('ingest').send('SIGSTOP');
      await raises('PlotlineDown');
      one('ingest').send('SIGCONT');
      await ends('PlotlineDown');
    });

    it('PlotlineMissing: no process of a kind is left', async () => {
      await watchAll(service.apart.programs.all.filter(({ kind }) => kind !== 'ingest'));
      await raises('PlotlineMissing');
      await watchAll();
      await ends('PlotlineMissing');
    });

    it('PlotlineIngestStalled, PlotlineIngestBehind and PlotlineWorkerStuck: a session holds a lock on tables', async () => {
      const sender = await Sender.start(service);
      const holder = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query('lock table series, series_stats, scalar_chunk, run_tail in share mode');
        await sender.send('run', event(1));
        await raises('PlotlineIngestStalled');
        await raises('PlotlineIngestBehind');
        await raises('PlotlineWorkerStuck');
        // Finds and ends the session that holds the lock, as in the runbook.
        const { rows } = await admin.query<{ pid: number }>(
          `select distinct unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity where wait_event_type = 'Lock'`,
        );
        expect(rows.length).toBeGreaterThan(0);
        holder.once('error', () => undefined);
        for (const { pid } of rows) await admin.query('select pg_terminate_backend($1)', [pid]);
      } finally {
        await holder.end().catch(() => undefined);
      }
      await sender.visible();
      await ends('PlotlineIngestStalled');
      await ends('PlotlineIngestBehind');
      await ends('PlotlineWorkerStuck');
    });

    it('PlotlineIngestFailures: a right of the role of ingest is missing', async () => {
      const sender = await Sender.start(service);
      await admin.query('revoke insert on series from plotline_ingest');
      try {
        for (let run = 0; run < 8; run++) await sender.send(`run-${run}`, event(1));
        await raises('PlotlineIngestFailures');
        expect(service.output).toContain('permission denied for table series'); // where the runbook looks
      } finally {
        await admin.query('grant insert on series to plotline_ingest');
      }
      await sender.visible();
    });

    it('PlotlineCommitsHang and PlotlineErrors: the synchronous standby is lost', async () => {
      const sender = await Sender.start(service);
      await admin.query(`alter system set synchronous_standby_names = 'nobody'`);
      await admin.query('select pg_reload_conf()');
      try {
        await expect.poll(() => sender.announce('run').then(() => 'taken', String), slow).toMatch(/503/);
        await raises('PlotlineCommitsHang');
        const tryAndLook = async (): Promise<string[]> => {
          await sender.announce('run').catch(() => null); // an uploader retries
          return raised();
        };
        await expect.poll(tryAndLook, slow).toContain('PlotlineErrors');
      } finally {
        // As the runbook says.
        await admin.query(`alter system set synchronous_standby_names = ''`);
        await admin.query('select pg_reload_conf()');
      }
      await ends('PlotlineCommitsHang');
      expect(await appendTo(sender, 'later')).toBe(204);
    });

    it('PlotlineQueueAway: Redis is down', async () => {
      await service.apart.redis.kill();
      await raises('PlotlineQueueAway');
      await service.apart.redis.wipe();
      await service.apart.redis.start();
      await ends('PlotlineQueueAway');
    });

    it('PlotlineBytesLost: an object is gone from the bucket', async () => {
      const sender = await Sender.start(service);
      const { file_id: fileId } = await sender.send('run', many);
      await sender.visible();
      const { s3, bucket } = service.apart;
      const objects = join(s3.folder, bucket.bucket);
      const files = (await readdir(objects, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      expect(files.length).toBeGreaterThan(0);
      for (const { parentPath, name } of files) await rm(join(parentPath, name));
      expect((await service.fetch(`/files/${fileId}/content`)).status).toBe(410);
      await raises('PlotlineBytesLost');
    });

    it('PlotlineEventLoopSlow: a process is blocked repeatedly', async () => {
      for (let stops = 0; !(await raised()).includes('PlotlineEventLoopSlow'); stops++) {
        expect(stops).toBeLessThan(300);
        one('read').send('SIGSTOP');
        await sleep(300); // longer than the rule allows
        one('read').send('SIGCONT');
        await sleep(100);
      }
      await ends('PlotlineEventLoopSlow');
    });

    it('PlotlineProbeFails: no process reads back what the probe uploads', async () => {
      const { child, ended } = new Cli(service, service.dataDir).spawn(['probe', '--every', '1', '--timeout', '5', '--metrics-port', '0']);
      let output = '';
      child.stderr!.on('data', (piece: Buffer) => (output += piece.toString()));
      try {
        await expect.poll(() => output, slow).toContain('/metrics');
        await watchAll(service.apart.programs.all, [targetOf('probe', output)]);
        await expect.poll(() => prometheus.values('plotline_probe_up'), slow).toEqual([1]);
        expect(await raised()).not.toContain('PlotlineProbeFails');
        for (const program of service.apart.programs.of('ingest')) program.send('SIGSTOP');
        await raises('PlotlineProbeFails');
        expect(output).toContain('failed in phase "visible"'); // where the runbook looks
        for (const program of service.apart.programs.of('ingest')) program.send('SIGCONT');
        await ends('PlotlineProbeFails');
      } finally {
        child.kill('SIGTERM');
        await ended;
      }
    });

    it.skipIf(!canMakeDisks)('PlotlineStorageFull: the Postgres disk is full', async () => {
      const sender = await Sender.start(service);
      disk = await SmallDisk.mount(64);
      await moveTables(service.dataDir, (statement) => admin.query(statement), disk);
      await disk.fill();
      const statuses = new Set<number>();
      for (let run = 0; !(await raised()).includes('PlotlineStorageFull'); run++) {
        expect(run, [...statuses].join()).toBeLessThan(3_000);
        const body = JSON.stringify({ run: `run-${run}`, name: 'events.out.tfevents.1' });
        statuses.add((await service.fetch(`${sender.path}/files`, { method: 'POST', body })).status);
      }
      expect(statuses).toContain(507);
      await disk.freeSpace();
      await expect.poll(() => appendTo(sender, 'later'), slow).toBe(204);
    });
  });
});
