import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, writeEventFile } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { Cli, Service, type Uploaded } from '../e2e/service.ts';

const steps = 500;

describeWith(['postgres', 'redis', 's3'], 'a service on a managed Postgres, whose administrator is not a superuser', () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-managed-logs-'));
    service = await Service.start({ processes: 'apart', managedPostgres: true });
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('migrates, starts, and stores an upload that verifies point for point', async () => {
    const bytes = writeEventFile(
      Array.from({ length: steps }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, scalars: { loss: step / 8 } })),
    );
    await writeFile(join(folder, 'events.out.tfevents.1'), bytes);
    const cli = new Cli(service, join(service.dataDir, 'state'));
    const uploaded = await cli.json<Uploaded>('upload', '--logdir', folder, '--one-shot');
    expect(uploaded).toMatchObject({ files: 1, points: steps, damaged: [] });
    expect((await cli.run('verify', uploaded.experiment_id, '--logdir', folder)).code).toBe(0);
    const [run] = (await readExperiment(service, uploaded.experiment_id)).values();
    expect(run!.get('loss')!.scalars.map(({ value }) => value)).toEqual(Array.from({ length: steps }, (_, step) => step / 8));
    const superuser = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
    await superuser.connect();
    try {
      const { rows } = await superuser.query(`select rolname from pg_roles where rolbypassrls and rolname like 'plotline%'`);
      expect(rows).toEqual([]);
    } finally {
      await superuser.end();
    }
  });
});
