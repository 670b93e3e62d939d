import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type BlobStore, openBlobStore } from '#blobs';
import type { TenantId } from '#model';
import { frameRecords } from '#records/testing';
import { encodeEvent, type EventSpec, writeEventFile } from '#testing';
import { keyOf, Reader } from '../reader.ts';
import { ChaosClient } from '../client.ts';
import { administer } from '../faults.ts';
import type { Stack } from '../stack.ts';
import { within } from '../workload.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { runCli } from './run-cli.ts';
import { type Trial, trial } from './trial.ts';

const steps = 120;
const poisonedStep = 70;
/** Steps of a file with lost bytes, by segment; the middle segment is lost. */
const begin = 40;
const inRow = 40;
const inObject = 3_000;
/** BullMQ's lists in Redis, with the command for the length of each. */
const queueLists = { wait: 'llen', paused: 'llen', active: 'llen', prioritized: 'zcard', delayed: 'zcard', failed: 'zcard' } as const;
const minTries = 5;
/**
 * Maximum ingest attempts. A poisoned run needs five attempts for the whole batch; then the batch
 * is halved, and ingest starts again after the bad record. Lost bytes need seven attempts. A busy
 * machine needs a few more.
 */
const maxTries = { poisoned: 40, lost: 12 };

type Loss = 'row flipped' | 'object flipped' | 'object deleted';
const losses: readonly Loss[] = ['row flipped', 'object flipped', 'object deleted'];

/** Where runs are sent, and where their stored bytes can be damaged. */
interface Place {
  readonly stack: Stack;
  readonly client: ChaosClient;
  readonly experimentId: string;
  readonly blobs: BlobStore;
}

/** A run that fails to ingest every time. */
interface BadRun {
  readonly name: string;
  readonly runId: string;
  /** The reported problem's reason, and text that its detail must contain. */
  readonly reason: string;
  readonly says: string;
  readonly goodSteps: readonly number[];
}

/**
 * Some runs among many have records that Postgres rejects every time, or pending segments with
 * damaged or missing bytes: each is quarantined with its reason, and everything else continues.
 */
export const poisonRecord: DegradedScenario = {
  test: 47,
  name: 'a record that fails every time, and pending bytes that are damaged or missing',
  run: (options) =>
    trial(options, { stack: { env: { PLOTLINE_LOST_BYTES_SECONDS: '60' } }, workload: { lanes: 4, pauseMs: 150 } }, async (parts) => {
      const { stack, workload, report } = parts;
      // Simulates a value that passes all checks but that Postgres rejects.
      await administer(stack, `alter table series add constraint poison check (tag <> 'poison')`);
      const began = performance.now();
      const client = new ChaosClient({ url: stack.url, token: stack.token, log: workload.log, random: Math.random });
      const experimentId = await client.createExperiment('poison');
      const place: Place = { stack, client, experimentId, blobs: await openBlobStore(stack.parts.bucket) };
      const runs: BadRun[] = [];
      for (let run = 0; run < (options.full ? 20 : 3); run++) runs.push(await sendPoisoned(place, `run-${run}`));
      // Ingest is stopped, so the segments are still pending when they are damaged.
      await Promise.all(stack.of('ingest').map((process) => process.stop()));
      for (const loss of losses)
        for (let run = 0; run < (options.full ? 10 : 1); run++) runs.push(await sendLost(place, `${loss.replace(' ', '-')}-${run}`, loss));
      client.close();
      await Promise.all(stack.of('ingest').map((process) => process.start()));
      const empty = await within(240_000, async () => (await pendingOf(parts, experimentId).catch(() => null)) === 0);
      report.must(empty, 'pending did not return to 0');
      report.figure(`${runs.length} bad runs: nothing pending ${ms(performance.now() - began)} after they were sent`);
      await checkProblems(parts, experimentId, runs);
      await checkPoints(parts, experimentId, runs);
      await checkStatus(parts, experimentId, runs);
      checkAttempts(parts, runs);
      await checkQueue(parts);
    }),
};

async function sendPoisoned(place: Place, name: string): Promise<BadRun> {
  const logged = (step: number): Record<string, number> => (step === poisonedStep ? { poison: 1 } : { loss: step });
  const events: EventSpec[] = upTo(steps).map((step) => ({ step, scalars: logged(step) }));
  const { fileId } = await send(place, name, [Buffer.from(writeEventFile(events))]);
  const goodSteps = upTo(steps).filter((step) => step !== poisonedStep);
  return { name, runId: await runOf(place, fileId), reason: 'quarantined', says: 'poison', goodSteps };
}

/** Sends three segments and damages the second segment in the store. */
async function sendLost(place: Place, name: string, loss: Loss): Promise<BadRun> {
  const middle = begin + (loss === 'row flipped' ? inRow : inObject);
  const segment = (from: number, to: number): EventSpec[] =>
    upTo(to)
      .slice(from)
      .map((step) => ({ step, scalars: { loss: step } }));
  const first = Buffer.from(writeEventFile(segment(0, begin)));
  const rest = [segment(begin, middle), segment(middle, middle + begin)].map((events) =>
    Buffer.from(frameRecords(events.map(encodeEvent))),
  );
  const { fileId } = await send(place, name, [first, ...rest]);
  await damage(place, fileId, first.length, loss);
  const says =
    loss === 'object deleted' ? 'one of its objects is missing' : `the checksum of the segment at ${first.length} does not match`;
  return { name, runId: await runOf(place, fileId), reason: 'stored-bytes-lost', says, goodSteps: upTo(begin) };
}

async function send({ client, experimentId }: Place, run: string, segments: readonly Buffer[]): Promise<{ fileId: string }> {
  const bytes = Buffer.concat(segments);
  const plan = { seed: 0, number: 0, run, name: 'events.out.tfevents.1', fromStep: 0, events: steps, tags: ['loss'] };
  const file = await client.announce(experimentId, plan, bytes);
  let at = 0;
  for (const { length } of segments) {
    await client.sendFrom(file, bytes.subarray(0, at + length), at, { minBytes: length, maxBytes: length, pauseMs: 0, columnsChance: 0 });
    at += length;
  }
  await client.complete(file, bytes);
  return file;
}

async function damage({ stack, blobs }: Place, fileId: string, offset: number, loss: Loss): Promise<void> {
  const [segment] = await administer<{ tenant_id: TenantId; object_key: string | null; body: Buffer | null }>(
    stack,
    `select s.tenant_id, s.object_key, s.body from segment s
     join pending_segment p on p.tenant_id = s.tenant_id and p.file_id = s.file_id and p."offset" = s."offset"
     where s.file_id = $1 and s."offset" = $2`,
    [fileId, String(offset)],
  );
  if (!segment) throw new Error(`no segment of file ${fileId} is pending at ${offset}`);
  if (loss === 'row flipped') {
    const body = flipped(segment.body!).toString('hex');
    await administer(stack, `update segment set body = decode($3, 'hex') where file_id = $1 and "offset" = $2`, [
      fileId,
      String(offset),
      body,
    ]);
    return;
  }
  const bytes = await blobs.get(segment.tenant_id, segment.object_key!);
  await blobs.delete(segment.tenant_id, segment.object_key!);
  if (loss === 'object flipped') await blobs.put(segment.tenant_id, segment.object_key!, flipped(bytes));
}

function flipped(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[damaged.length >> 1]! ^= 1;
  return damaged;
}

function upTo(end: number): number[] {
  return Array.from({ length: end }, (_, step) => step);
}

async function runOf({ stack }: Place, fileId: string): Promise<string> {
  const [row] = await administer<{ run_id: string }>(stack, 'select run_id from event_file where file_id = $1', [fileId]);
  return row!.run_id;
}

async function pendingOf({ stack }: Trial, experimentId: string): Promise<number> {
  const [row] = await administer<{ count: string }>(stack, 'select count(*) from pending_segment where experiment_id = $1', [experimentId]);
  return Number(row!.count);
}

async function checkProblems({ stack, report }: Trial, experimentId: string, runs: readonly BadRun[]): Promise<void> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const { problems } = await reader.json<{ problems: { run: string; reason: string; detail: string }[] }>(
    `/experiments/${experimentId}/problems?page_size=1000`,
  );
  report.must(problems.length === runs.length, `${problems.length} problems are reported for ${runs.length} runs`);
  const listed = new Map(problems.map((problem) => [problem.run, problem]));
  for (const { name, reason, says } of runs) {
    const problem = listed.get(name);
    report.must(problem?.reason === reason && problem.detail.includes(says), `${name} is reported as ${JSON.stringify(problem)}`);
  }
  for (const reason of ['quarantined', 'stored-bytes-lost']) {
    const own = problems.filter((problem) => problem.reason === reason);
    report.figure(`${reason}: ${own.length}, e.g. “${own[0]?.detail ?? ''}”`);
  }
}

async function checkPoints({ stack, report }: Trial, experimentId: string, runs: readonly BadRun[]): Promise<void> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const points = await reader.points(experimentId);
  for (const { name, goodSteps } of runs) {
    const stored = (points.get(keyOf({ run: name, tag: 'loss', writer: 0 })) ?? []).map(({ step }) => step);
    report.must(stored.join() === goodSteps.join(), `${name}: ${stored.length} of ${goodSteps.length} good points are stored`);
  }
}

/** Checks that the CLI shows each bad run with its reason. */
async function checkStatus({ stack, report }: Trial, experimentId: string, runs: readonly BadRun[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-status-'));
  try {
    const { stdout, stderr } = await runCli(['status', experimentId], stack.cliEnvironment(folder));
    const lines = stdout.split('\n');
    for (const { name, reason, says } of runs) {
      const shown = lines.some((line) => [name, reason, says].every((word) => line.includes(word)));
      report.must(shown, `plotline status does not show ${reason} of ${name}: ${stdout}${stderr}`);
    }
    report.must(stdout.includes('Everything uploaded is visible'), `plotline status says: ${stdout}${stderr}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function checkAttempts({ stack, report }: Trial, runs: readonly BadRun[]): void {
  const output = stack
    .of('ingest')
    .map((process) => process.output)
    .join('');
  for (const reason of ['quarantined', 'stored-bytes-lost']) {
    const own = runs.filter((run) => run.reason === reason);
    const tries = own.map(({ runId }) => output.split(`run ${runId} could not be ingested`).length - 1);
    const [min, max] = [Math.min(...tries), Math.max(...tries)];
    report.figure(`${reason}: ${min} to ${max} tries a run`);
    report.must(min >= minTries, `a run (${reason}) was given up after ${min} attempts`);
    const bound = reason === 'quarantined' ? maxTries.poisoned : maxTries.lost;
    report.must(max <= bound, `a run (${reason}) was attempted ${max} times, more than ${bound}`);
  }
}

/** Other clients continue, so the queue is empty only briefly. */
async function checkQueue({ stack, report }: Trial): Promise<void> {
  const redis = new Redis(stack.redis.url);
  const counts = async (): Promise<[string, number][]> =>
    Promise.all(
      Object.entries(queueLists).map(async ([list, command]): Promise<[string, number]> => [
        list,
        await redis[command](`{plotline}:ingest-run:${list}`),
      ]),
    );
  try {
    const empty = await within(60_000, async () => (await counts()).every(([, count]) => count === 0));
    report.must(empty, `the queue does not become empty: ${JSON.stringify(await counts())}`);
  } finally {
    redis.disconnect();
  }
}
