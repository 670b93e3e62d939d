import { access, appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seededRandom, writeEventFile } from '#testing';
import { readExperiment } from './rest-run.ts';
import { Cli, Service } from './service.ts';

/* Two machines with a shared file system upload the same log directory to the same experiment. */

const runs = ['a', 'b', 'c', 'd', 'e', 'f'];
const fileName = 'events.out.tfevents.1';
const pointsEach = 20_000;
const growsForMs = 12_000;

let service: Service;
let folder: string;
let logdir: string;
beforeAll(async () => {
  service = await Service.start();
  folder = await mkdtemp(join(tmpdir(), 'plotline-two-'));
  logdir = join(folder, 'logs');
});
afterAll(async () => {
  await service.dispose();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Appends to the files continuously, in pieces that can end anywhere in a record; resolves when
 * they are complete.
 */
async function grow(bytes: Uint8Array): Promise<void> {
  const random = seededRandom(5);
  const started = performance.now();
  const written = runs.map(() => 0);
  for (let share = 0; share < 1;) {
    share = Math.min(1, (performance.now() - started) / growsForMs);
    for (const [i, run] of runs.entries()) {
      const end = share < 1 ? Math.floor(bytes.length * share) : bytes.length;
      await appendFile(join(logdir, run, fileName), bytes.subarray(written[i], end));
      written[i] = end;
    }
    await sleep(random() * 100);
  }
}

describe('two CLIs that watch the same growing logs', () => {
  it('create one version of each file, with every point once', async () => {
    for (const run of runs) await mkdir(join(logdir, run), { recursive: true });
    const bytes = writeEventFile(
      Array.from({ length: pointsEach }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, simpleValues: { loss: step / 8 } })),
    );
    const { id } = await service.json<{ id: string }>('/experiments', { name: 'two' });
    const growing = grow(bytes);
    // Both uploaders start with existing files.
    await vi.waitFor(() => Promise.all(runs.map((run) => access(join(logdir, run, fileName)))), { timeout: 10_000 });
    const machines = ['one', 'two'].map((name) => new Cli(service, join(folder, name)));
    const watching = machines.map((cli) => cli.spawn(['upload', '--logdir', logdir, '--experiment', id]));
    const ended = Promise.all(watching.map((each) => each.ended));
    await growing;
    const files = async () =>
      (await service.json<{ files: { run: string; version: number; bytes: number }[] }>(`/experiments/${id}/files`)).files
        .map(({ run, version, bytes: durable }) => `${run}, version ${version}: ${durable} bytes`)
        .sort();
    await expect.poll(files, { timeout: 60_000, interval: 200 }).toEqual(runs.map((run) => `${run}, version 1: ${bytes.length} bytes`));
    for (const { child } of watching) child.kill('SIGINT');
    for (const { code, stderr } of await ended) {
      expect(code).toBe(130);
      expect(stderr).not.toMatch(/version|shorter|differs/);
    }

    const verified = await machines[0]!.run('verify', id, '--logdir', logdir);
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.stdout).not.toContain('does not contain the file');
    const experiment = await readExperiment(service, id);
    expect([...experiment.keys()].sort()).toEqual(runs);
    const steps = Array.from({ length: pointsEach }, (_, step) => step);
    for (const run of runs)
      expect(
        experiment
          .get(run)!
          .get('loss')!
          .scalars.map((point) => Number(point.step)),
      ).toEqual(steps);
    expect(await files()).toHaveLength(runs.length);
  });
});
