import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  createTestBucket,
  describeWith,
  type Part,
  seededRandom,
  stringTensor,
  tensorValue,
  type TestBucket,
  writeEventFile,
} from '#testing';
import { type ListedSeries, listSeries } from './rest-run.ts';
import { Cli, Service } from './service.ts';

/*
 * Real synchronization tools copy a growing log into the watched folder, so slowly that the CLI
 * sees their temporary names first. The tools are rsync and rclone, from the system's packages, and
 * s3transfer, which awscli and boto3 use, installed with pip in `.cache/s3transfer`.
 */

const run = promisify(execFile);
const logName = 'events.out.tfevents.1700000000.host.1.0';
/** Records of about 3 kB that do not compress. */
const stepsPerPart = 250;
const parts = 2;

/** Copies the file at `from` to `to` within a few seconds. */
type Copy = (from: string, to: string) => Promise<unknown>;

interface Tool {
  readonly name: string;
  readonly needs: readonly Part[];
  /** Whether the tool first writes under a temporary name. */
  readonly usesTemporaryName: boolean;
  readonly copy: Copy;
}

/**
 * Like awscli: the object is downloaded to NAME.XXXXXXXX, which is renamed at the end. The
 * bandwidth limit starts after the first 256 KiB of each request, so there is only one request.
 */
const downloadProgram = `
import json, sys, boto3
from boto3.s3.transfer import TransferConfig
a = json.load(sys.stdin)
s3 = boto3.client("s3", endpoint_url=a["endpoint"], region_name=a["region"], aws_access_key_id=a["key"], aws_secret_access_key=a["secret"])
s3.upload_file(a["from"], a["bucket"], "log")
config = TransferConfig(multipart_threshold=1 << 30, max_bandwidth=250_000, io_chunksize=16384)
s3.download_file(a["bucket"], "log", a["to"], Config=config)
`;

async function withS3Transfer(bucket: TestBucket, from: string, to: string): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey, bucket: name } = bucket.options;
  const { s3transfer } = inject('parts');
  if ('missing' in s3transfer) throw new Error(s3transfer.missing);
  const done = run(s3transfer.found, ['-c', downloadProgram]);
  done.child.stdin!.end(JSON.stringify({ endpoint, region, key: accessKeyId, secret: secretAccessKey, bucket: name, from, to }));
  await done;
}

/** Created on first use. */
let bucket: TestBucket | null = null;

const { rclone } = inject('parts');
const rcloneMinor = Number('found' in rclone ? /v1\.(\d+)/.exec(rclone.found)?.[1] : 0);

const tools: readonly Tool[] = [
  { name: 'rsync', needs: ['rsync'], usesTemporaryName: true, copy: (from, to) => run('rsync', ['--bwlimit=400', '--times', from, to]) },
  {
    name: 'rsync --inplace',
    needs: ['rsync'],
    usesTemporaryName: false,
    copy: (from, to) => run('rsync', ['--bwlimit=400', '--times', '--inplace', '--no-whole-file', from, to]),
  },
  {
    name: 'rsync --append',
    needs: ['rsync'],
    usesTemporaryName: false,
    copy: (from, to) => run('rsync', ['--bwlimit=400', '--append', from, to]),
  },
  {
    name: 'rclone',
    needs: ['rclone'],
    usesTemporaryName: rcloneMinor >= 63, // NAME.XXXXXXXX.partial since 1.63
    copy: (from, to) => run('rclone', ['copyto', '--bwlimit', '400k', '--ignore-checksum', from, to]),
  },
  {
    name: 's3transfer',
    needs: ['s3', 's3transfer'],
    usesTemporaryName: true,
    copy: async (from, to) => withS3Transfer((bucket ??= await createTestBucket()), from, to),
  },
];

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await Service.start();
  folder = await mkdtemp(join(tmpdir(), 'plotline-sync-'));
});
afterAll(async () => {
  await bucket?.drop();
  await service?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the log after this many parts; each version is a prefix of later versions. */
function logOf(count: number): Uint8Array {
  const random = seededRandom(7);
  const noise = () => Array.from({ length: 3_000 }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join('');
  return writeEventFile([
    { fileVersion: 'brain.Event:2', wallTime: 1_700_000_000 },
    ...Array.from({ length: count * stepsPerPart }, (_, step) => ({
      step,
      wallTime: 1_700_000_000 + step,
      simpleValues: { loss: step / 8 },
      values: [tensorValue('note', 'text', 'tensor', stringTensor([noise()]))],
    })),
  ]);
}

async function listedLoss(experimentId: string): Promise<ListedSeries[]> {
  return (await listSeries(service, experimentId)).filter(({ tag }) => tag === 'loss');
}

/** How long, in milliseconds, files with names other than the log's exist while `work` runs. */
async function timeOfOtherNames(watched: string, work: Promise<unknown>): Promise<number> {
  const pauseMs = 50;
  let [ms, isDone] = [0, false];
  const done = work.finally(() => (isDone = true));
  while (!isDone) {
    await sleep(pauseMs);
    if ((await readdir(watched)).some((name) => name !== logName)) ms += pauseMs;
  }
  await done;
  return ms;
}

describe.each(tools)('$name', ({ name, needs, usesTemporaryName, copy }) => {
  describeWith(needs, 'with a tool that copies logs', () =>
    it('receives a growing log, and counts every point once', async () => {
      const own = join(folder, name.replaceAll(' ', '-'));
      const [source, logdir] = [join(own, 'source', logName), join(own, 'logs')];
      await mkdir(dirname(source), { recursive: true });
      await mkdir(join(logdir, 'train'), { recursive: true });
      const target = join(logdir, 'train', logName);
      const { id } = await service.json<{ id: string }>('/experiments', { name });
      const cli = new Cli(service, join(own, 'state'));
      const { child, ended } = cli.spawn(['upload', '--logdir', logdir, '--experiment', id]);
      const points = async () => (await listedLoss(id)).map((loss) => loss.points);
      try {
        for (let part = 1; part <= parts; part++) {
          await writeFile(source, logOf(part));
          // The CLI polls every second, so it sees the temporary name.
          const otherMs = await timeOfOtherNames(dirname(target), copy(source, target));
          if (usesTemporaryName) expect(otherMs).toBeGreaterThan(1_000);
          else expect(otherMs).toBe(0);
          // Visible before the next copy, so the CLI has seen this copy.
          await expect.poll(points, { timeout: 60_000, interval: 200 }).toEqual([part * stepsPerPart]);
        }
        expect(await readFile(target)).toEqual(Buffer.from(logOf(parts)));
      } finally {
        child.kill('SIGINT');
      }
      expect(await ended).toMatchObject({ code: 130 });
      const verified = await cli.run('verify', id, '--logdir', logdir);
      expect(verified, verified.stdout + verified.stderr).toMatchObject({ code: 0 });
      // One entry: the copies did not create a second writer.
      expect(await listedLoss(id)).toMatchObject([{ run: 'train', points: parts * stepsPerPart, superseded_points: 0 }]);
    }),
  );
});
