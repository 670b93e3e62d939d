import { randomUUID } from 'node:crypto';
import type { RunId, TenantId } from '#model';
import { experimentIdOf, runIdOf, tenantIdOf } from '#model/testing';
import { ingestRun } from '../../../apps/ingest/src/ingest-run/ingest-run.ts';
import { publishEpochs } from '../../../apps/ingest/src/publish/publish-epochs.ts';
import { type BlobStore, openBlobStore } from '#blobs';
import type { IngestRun } from '#jobs';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import { check, type Violation } from '../checker.ts';
import { appendHeaders, ChaosClient, type SentFile } from '../client.ts';
import { administer } from '../faults.ts';
import { differenceOf, type LogicalDump, logicalDump } from '../logical-dump.ts';
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';

const workers = 4;
const bounds = { maxBatchBytes: 4_000, tail: { maxPoints: 500, maxAgeMs: 3_600_000 } };

/** Two workers conflicted, and Postgres aborted one: serialization failure or deadlock. */
const races: ReadonlySet<string> = new Set(['40001', '40P01']);
/** Without the lock on runs, two workers may also store the same row. */
const racesWithoutLock: ReadonlySet<string> = new Set([...races, '23505']);

/**
 * Test 14: each range and each job is delivered one to five times, shuffled, to four workers; the
 * result equals the result of one delivery in order, for readers and in the tables.
 */
export const shuffledDeliveries: Scenario = {
  test: '14',
  title: 'ranges and jobs are delivered repeatedly and in any order',
  counts: { short: 8, full: 1_000 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const { violations, deliveries, differences, lines, rejected } = await deliverShuffled(stack, seed, count);
    const lost = [...rejected].map(([state, n]) => `${state} × ${n}`).join(', ') || 'none';
    return {
      figures: [
        `${count} orders, ${deliveries} deliveries to ${workers} workers; lost races rejected by the database: ${lost}`,
        `tables compared with those of one delivery in order: ${lines} facts, ${differences.length} orders differ`,
      ],
      violations,
      unmet: [...differences.slice(0, 20), ...(lines > 0 ? [] : ['nothing was compared'])],
    };
  },
};

/** Removes a safeguard of the workers, which run in this process. Stops at the first violation. */
interface LeftOut {
  /** Removes the safeguard; returns a function that restores it. */
  readonly remove: () => () => void;
  readonly failpoints: string;
}

/** The result of many orders. */
interface Shuffled {
  readonly violations: readonly Violation[];
  readonly deliveries: number;
  /** Orders with tables that differ from those of one delivery in order. */
  readonly differences: readonly string[];
  /** Number of compared facts in the tables. */
  readonly lines: number;
  /** Jobs that the database rejected, by SQLSTATE. */
  readonly rejected: ReadonlyMap<string, number>;
}

/**
 * Delivers `count` seeds; there must be no other workers. Without a safeguard, `count` is a
 * maximum, and tables are not compared.
 */
export async function deliverShuffled(stack: Stack, seed: number, count: number, leftOut?: LeftOut): Promise<Shuffled> {
  await Promise.all(stack.of('ingest').map((process) => process.stop()));
  const role = (name: string): string => stack.parts.postgres.url(name, 'plotline');
  const store = new Store({ appUrl: role('plotline_app'), ingestUrl: role('plotline_ingest'), appPoolSize: 2, ingestPoolSize: workers });
  const client = new ChaosClient({ url: stack.parts.front.url, token: stack.token, log: new AckLog(), random: Math.random });
  const parts: Parts = {
    stack,
    store,
    blobs: await openBlobStore(stack.parts.bucket),
    client,
    tolerated: leftOut ? racesWithoutLock : races,
    rejected: new Map(),
  };
  const restore = leftOut?.remove();
  const violations: Violation[] = [];
  const differences: string[] = [];
  let deliveries = 0;
  let lines = 0;
  armFailpoints(leftOut?.failpoints, () => undefined); // Hundreds of them are not readable.
  try {
    for (let n = 0; n < count && !(leftOut && violations.length > 0); n++) {
      const own = seed * 10_000 + n;
      const result = await deliver(parts, own);
      deliveries += result.deliveries;
      violations.push(...result.violations.map(({ kind, detail }): Violation => ({ kind, detail: `seed ${own}: ${detail}` })));
      if (leftOut) continue;
      const shuffled = await dump(parts, result.job);
      const inOrder = await dump(parts, await deliverInOrder(parts, own));
      lines += inOrder.lines.length;
      if (shuffled.hash !== inOrder.hash) differences.push(`seed ${own}: shuffled and in order differ: ${differenceOf(shuffled, inOrder)}`);
    }
  } finally {
    armFailpoints(undefined);
    client.close();
    await store.close();
    restore?.();
    await Promise.all(stack.of('ingest').map((process) => process.start()));
  }
  return { violations, deliveries, differences, lines, rejected: parts.rejected };
}

interface Parts {
  readonly stack: Stack;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly client: ChaosClient;
  /** SQLSTATEs that a worker may get. */
  readonly tolerated: ReadonlySet<string>;
  /** Their counts. */
  readonly rejected: Map<string, number>;
}

interface Range {
  readonly file: SentFile;
  readonly offset: number;
  readonly range: Buffer;
}

/**
 * The deliveries for a seed: the ranges of two files of a run, in order, and the job that ingests
 * them.
 */
interface Delivery {
  readonly job: IngestRun;
  readonly files: readonly SentFile[];
  readonly ranges: readonly Range[];
}

async function prepare({ stack, client }: Parts, seed: number, random: () => number): Promise<Delivery> {
  const experimentId = experimentIdOf(await client.createExperiment(`delivered ${seed} ${randomUUID()}`));
  const plans = [0, 1].map((part): FilePlan => ({
    seed,
    number: part,
    run: 'run',
    name: `events.out.tfevents.${part}`,
    fromStep: part * 20,
    events: 60,
    tags: ['a', 'b'],
    media: 3,
  }));
  const files: SentFile[] = [];
  const ranges: Range[] = [];
  for (const plan of plans) {
    const bytes = bytesOf(plan);
    const file = await client.announce(experimentId, plan, bytes);
    files.push(file);
    for (let at = 0; at < bytes.length;) {
      const range = bytes.subarray(at, at + 300 + Math.floor(random() * 2_500));
      ranges.push({ file, offset: at, range });
      at += range.length;
    }
  }
  const [{ tenant_id: tenantId, run_id: runId } = { tenant_id: tenantIdOf(''), run_id: runIdOf('') }] = await administer<{
    tenant_id: TenantId;
    run_id: RunId;
  }>(stack, 'select tenant_id, run_id from run where experiment_id = $1', [experimentId]);
  return { job: { tenantId, experimentId, runId }, files, ranges };
}

async function sendRange(client: ChaosClient, { file, offset, range }: Range): Promise<void> {
  const response = await client.send('PATCH', `/files/${file.fileId}`, appendHeaders(offset, range), range);
  if (response.status !== 204)
    throw new Error(`a range was rejected: ${response.status} ${response.status === null ? response.error : response.body.toString()}`);
}

/** Sends each range once, in log order, and ingests each before the next. */
async function deliverInOrder(parts: Parts, seed: number): Promise<IngestRun> {
  const { store, blobs, client } = parts;
  const { job, ranges } = await prepare(parts, seed, seededRandom(seed));
  for (const range of ranges) {
    await sendRange(client, range);
    await ingestRun(store, blobs, job, bounds);
  }
  return job;
}

/** Dumps the tables of an ingested run, after its tail is cut into chunks. */
async function dump({ stack, store, blobs }: Parts, job: IngestRun): Promise<LogicalDump> {
  const cutting = { ...bounds, tail: { ...bounds.tail, maxAgeMs: -1 } };
  while ((await ingestRun(store, blobs, job, cutting)).outcome === 'more');
  return logicalDump(stack, job.experimentId);
}

async function deliver(parts: Parts, seed: number): Promise<{ violations: readonly Violation[]; deliveries: number; job: IngestRun }> {
  const { stack, store, blobs, client } = parts;
  const random = seededRandom(seed);
  const { job, files, ranges } = await prepare(parts, seed, random);
  const sent = shuffle(
    ranges.flatMap((range) => Array.from({ length: 1 + Math.floor(random() * 5) }, () => range)),
    random,
  );
  let deliveries = sent.length;
  let sending = true;
  const violations: Violation[] = [];

  const send = async (): Promise<void> => {
    for (let next = sent.pop(); next; next = sent.pop()) await sendRange(client, next);
  };
  const work = async (): Promise<void> => {
    for (let idle = 0; idle < 3;) {
      const { outcome } = await ingestRun(store, blobs, job, bounds).catch((error: Error) => {
        // The database rejected the transaction and rolled it back, because another worker was
        // faster. Anything else is a bug.
        const state = sqlStateOf(error);
        if (state !== null && parts.tolerated.has(state)) parts.rejected.set(state, (parts.rejected.get(state) ?? 0) + 1);
        else violations.push({ kind: 'unreadable', detail: `${state ?? 'no SQLSTATE'}: ${error.message}` });
        return { outcome: 'busy' as const };
      });
      deliveries++;
      idle = sending || outcome === 'more' ? 0 : idle + 1;
      if (outcome !== 'more') await sleep(random() * 4);
    }
  };
  const sends = Promise.all(Array.from({ length: 4 }, send)).finally(() => (sending = false));
  await Promise.all([sends, ...Array.from({ length: workers }, work)]);
  await publishEpochs(store, job.tenantId, job.experimentId, { listeners: [] });
  const log = new AckLog();
  for (const { fileId, length } of files) log.promise(fileId, length, 'every range was accepted');
  const result = await check({ url: stack.parts.front.url, token: stack.token, files, log, drainMs: 3_000 * stack.timeFactor, graceMs: 0 });
  return { violations: [...violations, ...result.violations], deliveries, job };
}

/** Returns the SQLSTATE that caused an error; null for another cause. */
function sqlStateOf(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at.code;
  return null;
}

function shuffle<T>(list: T[], random: () => number): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
