import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#model';
import { type EventSpec, writeEventFile } from '#testing';
import { readExperiment } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * The disk is full, or Postgres is down: uploads get 507 or 503, nothing acknowledged is lost, and
 * the service recovers without help.
 */

const MiB = 1024 * 1024;

const scalars = (from: number, to: number): EventSpec[] =>
  Array.from({ length: to - from }, (_, i) => ({
    step: from + i,
    wallTime: 1_700_000_000 + from + i,
    simpleValues: { loss: (from + i) / 8 },
  }));

/**
 * Sends a file from its durable offset, range by range, while `until` returns false; records every
 * status.
 */
class RetryingUpload {
  readonly statuses = new Map<number, number>();
  /** The acknowledged offset. */
  promised = 0;
  readonly #sender: Sender;
  readonly #fileId: string;
  readonly #bytes: Uint8Array;
  readonly #rangeBytes: number;

  constructor(sender: Sender, fileId: string, bytes: Uint8Array, rangeBytes: number) {
    this.#sender = sender;
    this.#fileId = fileId;
    this.#bytes = bytes;
    this.#rangeBytes = rangeBytes;
  }

  get done(): boolean {
    return this.promised >= this.#bytes.length;
  }

  /** Sends one range; false if it was rejected. */
  async step(): Promise<boolean> {
    const at = this.promised;
    const response = await this.#sender.append(this.#fileId, at, this.#bytes.subarray(at, at + this.#rangeBytes));
    const { status } = response;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 204) {
      const offset = Number(response.headers.get('upload-offset'));
      expect(offset).toBeGreaterThan(this.promised);
      this.promised = offset;
      return true;
    }
    const problem = (await response.json()) as { code: string };
    expect([status, problem.code]).toEqual(status === 507 ? [507, 'insufficient-storage'] : [503, 'store-unavailable']);
    expect(response.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    return false;
  }

  /** Sends the rest, with retries. */
  async finish(): Promise<void> {
    for (const until = Date.now() + 120_000; !this.done;) {
      if (!(await this.step())) await sleep(50);
      expect(Date.now(), `still refused: ${JSON.stringify([...this.statuses])}`).toBeLessThan(until);
    }
    await this.#sender.complete(this.#fileId, this.#bytes);
    const stored = await this.#sender.service.fetch(`/files/${this.#fileId}/content`);
    expect(Buffer.from(await stored.bytes()).equals(this.#bytes)).toBe(true);
  }
}

async function expectAll(sender: Sender, points: number): Promise<void> {
  await sender.visible();
  const { scalars: stored } = (await readExperiment(sender.service, sender.experimentId)).get('run')!.get('loss')!;
  expect(stored.map(({ step }) => Number(step))).toEqual(Array.from({ length: points }, (_, step) => step));
  expect(await sender.problems()).toEqual([]);
}

describe('Postgres', () => {
  let service: Service;
  let sender: Sender;

  beforeAll(async () => {
    service = await Service.start();
    sender = await Sender.start(service);
  });
  afterAll(() => service.dispose());

  it.each(['SIGKILL', 'SIGINT', 'SIGQUIT'] as const)(
    'stops on %s during uploads: requests get 503 until it is back by itself',
    async (signal) => {
      sender = await Sender.start(service);
      const { file_id } = await sender.announce('run');
      const upload = new RetryingUpload(sender, file_id, writeEventFile(scalars(0, 3_000)), 20_000);
      await upload.step();
      const old = await service.postgresPid();
      process.kill(old, signal);
      let rejected = 0;
      await expect
        .poll(
          async () => {
            const responses = await Promise.all([
              service.fetch(sender.path),
              service.fetch(`${sender.path}/scalars/query`, { method: 'POST', body: '{}' }),
              service.fetch('/experiments', { method: 'POST', body: '{}' }),
            ]);
            for (const { status } of responses) expect([200, 201, 503]).toContain(status);
            rejected += responses.filter(({ status }) => status === 503).length;
            expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
            if (!upload.done && !(await upload.step())) rejected++;
            const pid = await service.postgresPid().catch(() => old);
            return pid !== old && responses.every(({ ok }) => ok);
          },
          { timeout: 60_000, interval: 50 },
        )
        .toBe(true);
      expect(rejected).toBeGreaterThan(0);
      await upload.finish();
      expect([...upload.statuses.keys()].filter((status) => status !== 503)).toEqual([204]);
      await expectAll(sender, 3_000);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    },
  );

  it('loses a backend to a kill: it recovers, with everything acknowledged', async () => {
    sender = await Sender.start(service);
    const { file_id } = await sender.announce('run');
    const upload = new RetryingUpload(sender, file_id, writeEventFile(scalars(0, 2_000)), 10_000);
    await upload.step();
    const postmaster = await service.postgresPid();
    const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(postmaster)], { encoding: 'utf8' });
    const backend = /^\s*(\d+) .*plotline_app/m.exec(children)?.[1];
    expect(backend, children).toBeDefined();
    process.kill(Number(backend), 'SIGKILL');
    await upload.finish();
    await expectAll(sender, 2_000);
    expect(await service.postgresPid()).toBe(postmaster);
  });
});

/** Mounts a separate in-memory disk; only root can do this. */
function mountDisk(folder: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'plotline-test', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const disk = await mkdtemp(join(tmpdir(), 'plotline-disk-'));
const mounted = mountDisk(disk, 900);
if (!mounted) await rm(disk, { recursive: true });

describe.skipIf(!mounted)(`a small disk${mounted ? '' : ' [needs permission to mount one]'}`, () => {
  let service: Service;
  let sender: Sender;
  const ballast = join(disk, 'ballast');
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(disk);
    return bavail * bsize;
  };

  /** Fills the disk until `left` bytes are free. */
  async function fill(left: number): Promise<void> {
    const file = await open(ballast, 'a');
    try {
      const zeros = Buffer.alloc(8 * MiB);
      for (let over = (await free()) - left; over > 0; over = (await free()) - left)
        await file.write(zeros, 0, Math.min(over, zeros.length));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }
  const freeSpace = () => rm(ballast, { force: true });

  beforeAll(async () => {
    service = await Service.start({ dataDir: join(disk, 'data'), processes: 'embedded' });
    sender = await Sender.start(service);
  });
  afterAll(async () => {
    await service.dispose();
    execFileSync('umount', [disk]);
    await rm(disk, { recursive: true });
  });

  it('with less than the reserve free accepts no bytes, keeps responding, and accepts them again when there is space', async () => {
    const bytes = writeEventFile(scalars(0, 1_000));
    const { file_id } = await sender.announce('run');
    const upload = new RetryingUpload(sender, file_id, bytes, 10_000);
    expect(await upload.step()).toBe(true);
    await fill(limits.minFreeDiskBytes - 8 * MiB);
    await expect.poll(() => upload.step(), { timeout: 10_000 }).toBe(false);
    expect(upload.statuses.get(507)).toBe(1);
    const response = await sender.append(file_id, upload.promised, bytes.subarray(upload.promised, upload.promised + 10));
    expect(await response.json()).toMatchObject({ code: 'insufficient-storage', reserve_bytes: limits.minFreeDiskBytes });
    const position = await service.fetch(`/files/${file_id}`, { method: 'HEAD' });
    expect(position.headers.get('upload-offset')).toBe(String(upload.promised));
    expect((await service.fetch(`${sender.path}/series`)).status).toBe(200);
    await freeSpace();
    await upload.finish();
    await expectAll(sender, 1_000);
  });

  it('that fills up during uploads loses nothing acknowledged', async () => {
    sender = await Sender.start(service);
    const points = await sender.announce('run');
    const large = await sender.announce('noise');
    const uploads = [
      new RetryingUpload(sender, points.file_id, writeEventFile(scalars(0, 4_000)), 3_000),
      new RetryingUpload(sender, large.file_id, randomBytes(64 * MiB), MiB),
    ];
    const lanes = uploads.map(async (upload) => {
      while (!upload.done && (upload.statuses.get(507) ?? 0) + (upload.statuses.get(503) ?? 0) < 15)
        if (!(await upload.step())) await sleep(50);
    });
    await expect.poll(() => uploads.every(({ promised }) => promised > 0), { timeout: 10_000, interval: 20 }).toBe(true);
    // The service checks the disk once a second; until then, writes hit a completely full disk.
    await fill(0);
    const statuses = new Set<number>();
    for (const until = Date.now() + 3_000; Date.now() < until; await sleep(50)) {
      const response = await service.fetch('/experiments', {
        method: 'POST',
        body: JSON.stringify({ description: 'x'.repeat(600) }),
        signal: AbortSignal.timeout(20_000),
      });
      statuses.add(response.status);
    }
    await Promise.all(lanes);
    expect(uploads.some(({ statuses: had }) => had.has(507))).toBe(true);
    // Postgres may have had free space in its files, or may have stopped to wait for space.
    expect([...statuses].filter((status) => ![201, 503, 507].includes(status))).toEqual([]);
    await freeSpace();
    await Promise.all(uploads.map((upload) => upload.finish()));
    expect(uploads.flatMap((upload) => [...upload.statuses.keys()]).filter((status) => ![204, 503, 507].includes(status))).toEqual([]);
    await sender.visible();
    const { scalars: stored } = (await readExperiment(service, sender.experimentId)).get('run')!.get('loss')!;
    expect(stored.length).toBe(4_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it('is full when Postgres has to restart: it waits for space, and recovers', async () => {
    sender = await Sender.start(service);
    await sender.send('run', writeEventFile(scalars(0, 500)));
    const old = await service.postgresPid();
    await fill(0);
    process.kill(old, 'SIGKILL');
    const ask = async () => (await service.fetch(sender.path)).status;
    for (const until = Date.now() + 2_500; Date.now() < until; await sleep(100)) expect([200, 503, 507]).toContain(await ask());
    await freeSpace();
    await expect.poll(ask, { timeout: 60_000, interval: 100 }).toBe(200);
    await expectAll(sender, 500);
    await sender.send('later', writeEventFile(scalars(0, 10)));
    await sender.visible();
  });
});
