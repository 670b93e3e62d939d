import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { listSeries } from './rest-run.ts';
import { Cli, Service, type Uploaded } from './service.ts';

/* An experiment that was stored under older rules is repaired by `plotline verify --repair`. */

let service: Service;
let folder: string;
let database: pg.Client;

beforeAll(async () => {
  service = await Service.start({ processes: 'embedded' });
  folder = await mkdtemp(join(tmpdir(), 'plotline-repair-'));
  const [port, password] = await Promise.all(
    ['postgres.port', 'secrets/postgres'].map(async (name) => (await readFile(join(service.dataDir, name), 'utf8')).trim()),
  );
  database = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'postgres', password: password!, database: 'plotline' });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await service?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ step: from + i, wallTime: 1_700_000_000 + from + i, simpleValues: { loss: i } }));

it('counts points that were superseded under older rules, and agrees with the files afterwards', async () => {
  const logdir = join(folder, 'logs');
  await mkdir(join(logdir, 'train'), { recursive: true });
  await writeFile(join(logdir, 'train', 'events.out.tfevents.1700000000.host'), writeEventFile(events(0, 40)));
  const cli = new Cli(service, join(folder, 'state'));
  const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot');
  expect(await cli.run('verify', id, '--logdir', logdir)).toMatchObject({ code: 0 });

  // Data as stored by a version that considered the file superseded by another file, and recorded
  // no writers.
  await database.query(
    'update scalar_chunk c set superseded = true from series s where s.tenant_id = c.tenant_id and s.series_id = c.series_id and s.experiment_id = $1',
    [id],
  );
  await database.query(
    'update series_stats v set points = 0, superseded_points = points from series s where s.tenant_id = v.tenant_id and s.series_id = v.series_id and s.experiment_id = $1',
    [id],
  );
  await database.query(
    'update file_progress set first_wall_time = null, last_wall_time = null, head_crc32c = null where experiment_id = $1',
    [id],
  );
  expect((await listSeries(service, id)).map(({ points }) => points)).toEqual([0]);
  expect(await cli.run('verify', id, '--logdir', logdir)).toMatchObject({ code: 1 });

  const repaired = await cli.run('verify', id, '--logdir', logdir, '--repair', '--json');
  expect(repaired.code, repaired.stderr).toBe(0);
  expect(JSON.parse(repaired.stdout)).toMatchObject({ verified: true, runs_repaired: 1, differences: [] });
  expect((await listSeries(service, id)).map(({ points }) => points)).toEqual([40]);
});
