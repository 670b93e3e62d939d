import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventSpec, writeEventFile } from '#testing';
import { Cli, Service, type Uploaded } from './service.ts';

/*
 * Reliability test 56: a service under more load than its capacity slows uploads down, but fails
 * none and loses nothing.
 */

const runs = 3;
const points = 4_000;
let folder: string;
let service: Service;

/** Writes files that each exceed the limit on pending bytes. */
async function writeLogs(logdir: string): Promise<number> {
  let bytes = 0;
  for (let run = 0; run < runs; run++) {
    const events = Array.from({ length: points }, (_, step): EventSpec => ({
      step,
      wallTime: step,
      simpleValues: { loss: step + run / 8 },
    }));
    const file = writeEventFile(events);
    await mkdir(join(logdir, `run-${run}`), { recursive: true });
    await writeFile(join(logdir, `run-${run}`, 'events.out.tfevents.1'), file);
    bytes += file.length;
  }
  return bytes;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-overload-'));
  service = await Service.start({
    env: {
      PLOTLINE_MAX_PENDING_BYTES_PER_TENANT: String(64 * 1024),
      PLOTLINE_MAX_APPENDS_PER_TENANT: '1',
      // Segments stay pending for longer than an append waits before it is rejected.
      PLOTLINE_FAILPOINTS: 'before-ingest-commit=sleep:2000',
    },
  });
});
afterAll(async () => {
  await service.dispose();
  await rm(folder, { recursive: true });
});

it('shows its limits', async () => {
  expect(await service.json('/limits')).toMatchObject({ maxPendingBytesPerWorkspace: 64 * 1024, maxConcurrentAppendsPerWorkspace: 1 });
});

it('slows an upload down to its ingest rate; everything arrives once', async () => {
  const logdir = join(folder, 'one-shot');
  const bytes = await writeLogs(logdir);
  const cli = new Cli(service, join(folder, 'state'));
  const { code, stdout, stderr } = await cli.spawn(['upload', '--logdir', logdir, '--one-shot', '--json', '--connections', '6']).ended;
  expect(code, stderr).toBe(0);
  const uploaded = JSON.parse(stdout) as Uploaded;
  expect(uploaded).toMatchObject({ files: runs, bytes, uploaded_bytes: bytes, points: runs * points });
  expect(stderr.match(/asked the upload to wait/g)).toHaveLength(1);
  expect((await cli.run('verify', uploaded.experiment_id, '--logdir', logdir)).code).toBe(0);
});

it('does not end a watching upload', async () => {
  const logdir = join(folder, 'watched');
  await writeLogs(logdir);
  const cli = new Cli(service, join(folder, 'state'));
  const { child, ended } = cli.spawn(['upload', '--logdir', logdir]);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stderr!.on('data', (piece: Buffer) => {
      output += String(piece);
      if (output.includes('Everything is uploaded; watching')) resolve();
    });
    child.once('close', () => reject(new Error(`the upload exited: ${output}`)));
  });
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr.match(/asked the upload to wait/g)).toHaveLength(1);
  const experiment = /\/e\/([A-Za-z0-9]{22})/.exec(stdout)![1]!;
  expect((await cli.run('upload', '--logdir', logdir, '--one-shot', '--experiment', experiment)).code).toBe(0);
  expect((await cli.run('verify', experiment, '--logdir', logdir)).code).toBe(0);
});
