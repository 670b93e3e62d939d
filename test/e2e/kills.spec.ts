import { mkdtemp, mkdir, appendFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventSpec, seededRandom, writeEventFile } from '#testing';
import { Cli, Service, type Uploaded } from './service.ts';

const kills = Number(process.env.KILLS ?? 6);

/**
 * A sweep of several runs that is uploaded while it is written; each run restarts from a
 * checkpoint once, in a second file.
 */
class Training {
  readonly logdir: string;
  readonly #files: { path: string; bytes: Uint8Array; written: number }[];

  private constructor(logdir: string, files: { path: string; bytes: Uint8Array }[]) {
    this.logdir = logdir;
    this.#files = files.map((file) => ({ ...file, written: 0 }));
  }

  static async make(runs: number, steps: number): Promise<Training> {
    const logdir = await mkdtemp(join(tmpdir(), 'plotline-kills-'));
    const files = [];
    for (let run = 0; run < runs; run++) {
      const folder = join(logdir, `run-${run}`);
      await mkdir(folder, { recursive: true });
      const events = (from: number, to: number): EventSpec[] =>
        Array.from({ length: to - from }, (_, i) => ({
          step: from + i,
          wallTime: 1_700_000_000 + from + i,
          scalars: { loss: Math.sin(from + i + run), accuracy: (from + i) / steps, lr: 0.1 },
        }));
      files.push({ path: join(folder, 'events.out.tfevents.1700000000.a'), bytes: writeEventFile(events(0, steps)) });
      files.push({ path: join(folder, 'events.out.tfevents.1700000001.b'), bytes: writeEventFile(events(Math.floor(steps / 2), steps)) });
    }
    return new Training(logdir, files);
  }

  /** Appends a piece to the current file of each run; false if all are complete. */
  async write(share: number): Promise<boolean> {
    let more = false;
    for (const [i, file] of this.#files.entries()) {
      const before = i % 2 === 1 ? this.#files[i - 1]! : null;
      if (before && before.written < before.bytes.length) continue;
      if (file.written >= file.bytes.length) continue;
      const end = Math.min(file.bytes.length, file.written + Math.ceil(file.bytes.length * share));
      await appendFile(file.path, file.bytes.subarray(file.written, end));
      file.written = end;
      more = true;
    }
    return more;
  }
}

interface Receipt {
  readonly digest: string;
}

interface Page {
  readonly series: { run: string; tag: string; columns: Record<string, unknown[]> }[];
  readonly next_page_token?: string;
}

/**
 * Returns everything that readers see of an experiment: the receipt's digest, the series statistics
 * and all points, including superseded points.
 */
async function stateOf(service: Service, experimentId: string): Promise<unknown> {
  const receipt = await service.json<Receipt>(`/experiments/${experimentId}/receipt`);
  const { series } = await service.json<{ series: unknown[] }>(`/experiments/${experimentId}/series?page_size=1000`);
  const points: Record<string, Record<string, unknown[]>> = {};
  let token: string | undefined;
  do {
    const body = { sampling: 'raw', superseded: true, page_size: 100_000, ...(token && { page_token: token }) };
    const page = await service.json<Page>(`/experiments/${experimentId}/scalars/query`, body);
    for (const { run, tag, columns } of page.series) {
      const own = (points[`${run} ${tag}`] ??= {});
      for (const [name, values] of Object.entries(columns)) own[name] = [...(own[name] ?? []), ...values];
    }
    token = page.next_page_token;
  } while (token);
  return { digest: receipt.digest, series, points };
}

describe('an upload that is killed repeatedly', () => {
  let service: Service;
  let stateDir: string;
  const seed = Number(process.env.KILLS_SEED ?? Date.now() % 1_000_000);
  const next = seededRandom(seed);

  beforeAll(async () => {
    service = await Service.start();
    stateDir = await mkdtemp(join(tmpdir(), 'plotline-state-'));
  });

  afterAll(async () => {
    await service.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  /** Returns the state after an undisturbed upload of the finished logs. */
  async function undisturbed(logdir: string): Promise<unknown> {
    const cli = new Cli(service, await mkdtemp(join(stateDir, 'other-')));
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot', '--new');
    return stateOf(service, id);
  }

  it(`has the same result if the CLI dies ${kills} times (seed ${seed})`, async () => {
    const training = await Training.make(4, 1_500);
    const cli = new Cli(service, stateDir);
    for (let kill = 0; kill < kills; kill++) {
      const { child, ended } = cli.spawn(['upload', '--logdir', training.logdir]);
      await training.write(1 / kills);
      await sleep(100 + next() * 900);
      child.kill('SIGKILL');
      await ended;
    }
    while (await training.write(0.5));
    const done = await cli.json<Uploaded>('upload', '--logdir', training.logdir, '--one-shot');
    const verified = await cli.run('verify', done.experiment_id, '--logdir', training.logdir);
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
    expect(await stateOf(service, done.experiment_id)).toEqual(await undisturbed(training.logdir));
    const again = await cli.json<Uploaded>('upload', '--logdir', training.logdir, '--one-shot');
    expect(again).toMatchObject({ experiment_id: done.experiment_id, uploaded_bytes: 0 });
    await rm(training.logdir, { recursive: true });
  });

  it(`has the same result if the service dies ${kills} times (seed ${seed})`, async () => {
    const training = await Training.make(4, 1_500);
    const cli = new Cli(service, stateDir);
    await training.write(1 / (2 * kills));
    const { child, ended } = cli.spawn(['upload', '--logdir', training.logdir]);
    for (let kill = 0; kill < kills; kill++) {
      await training.write(1 / (2 * kills));
      await sleep(next() * 600);
      await service.signal('SIGKILL');
      await training.write(1 / (2 * kills));
      await service.start();
    }
    while (await training.write(0.5));
    child.kill('SIGINT');
    const watched = await ended;
    expect(watched.code, watched.stderr).toBe(130);
    const done = await cli.json<Uploaded>('upload', '--logdir', training.logdir, '--one-shot');
    const verified = await cli.run('verify', done.experiment_id, '--logdir', training.logdir);
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
    expect(await stateOf(service, done.experiment_id)).toEqual(await undisturbed(training.logdir));
    await rm(training.logdir, { recursive: true });
  }, 900_000);
});
