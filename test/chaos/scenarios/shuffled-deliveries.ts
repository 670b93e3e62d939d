import { randomUUID } from 'node:crypto';
import { ingestRun } from '../../../apps/ingest/src/ingest-run/ingest-run.ts';
import { publishEpochs } from '../../../apps/ingest/src/publish/publish-epochs.ts';
import { type BlobStore, openBlobStore } from '#blobs';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import { check, type Violation } from '../checker.ts';
import { appendHeaders, ChaosClient, type SentFile } from '../client.ts';
import { administer } from '../faults.ts';
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';

const workers = 4;
const bounds = { maxBatchBytes: 4_000, tail: { maxPoints: 500, maxAgeMs: 3_600_000 } };

/** Test 14: each range and each job is delivered one to five times, shuffled, over four workers; what is stored is what one delivery in order stores. */
export const shuffledDeliveries: Scenario = {
  test: '14',
  title: 'ranges and jobs are delivered often and in any order',
  counts: { short: 8, full: 1_000 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const { violations, deliveries } = await deliverShuffled(stack, seed, count);
    return { figures: [`${count} orders, ${deliveries} deliveries over ${workers} workers`], violations, unmet: [] };
  },
};

/** Failpoints of the workers, which run in this process; the seeds end with the first violation. */
interface LeftOut {
  readonly failpoints: string;
}

/** Does so for `count` seeds, while no other worker is there; with a safeguard left out, for at most as many. */
export async function deliverShuffled(
  stack: Stack,
  seed: number,
  count: number,
  leftOut?: LeftOut,
): Promise<{ violations: Violation[]; deliveries: number }> {
  await Promise.all(stack.of('ingest').map((process) => process.stop()));
  const role = (name: string): string => stack.parts.postgres.url(name, 'plotline');
  const store = new Store({ appUrl: role('plotline_app'), ingestUrl: role('plotline_ingest'), appPoolSize: 2, ingestPoolSize: workers });
  const client = new ChaosClient({ url: stack.parts.front.url, token: stack.token, log: new AckLog(), random: Math.random });
  const parts: Parts = { stack, store, blobs: await openBlobStore(stack.parts.bucket), client };
  const violations: Violation[] = [];
  let deliveries = 0;
  armFailpoints(leftOut?.failpoints, () => undefined); // hundreds of them: nobody wants to read that
  try {
    for (let n = 0; n < count && !(leftOut && violations.length > 0); n++) {
      const result = await deliver(parts, seed * 10_000 + n);
      deliveries += result.deliveries;
      violations.push(
        ...result.violations.map(({ kind, detail }): Violation => ({ kind, detail: `seed ${seed * 10_000 + n}: ${detail}` })),
      );
    }
  } finally {
    armFailpoints(undefined);
    client.close();
    await store.close();
    await Promise.all(stack.of('ingest').map((process) => process.start()));
  }
  return { violations, deliveries };
}

interface Parts {
  readonly stack: Stack;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly client: ChaosClient;
}

async function deliver(
  { stack, store, blobs, client }: Parts,
  seed: number,
): Promise<{ violations: readonly Violation[]; deliveries: number }> {
  const random = seededRandom(seed);
  const experimentId = await client.createExperiment(`shuffled ${seed} ${randomUUID()}`);
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
  const ranges: { file: SentFile; offset: number; range: Buffer }[] = [];
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
  const sent = shuffle(
    ranges.flatMap((range) => Array.from({ length: 1 + Math.floor(random() * 5) }, () => range)),
    random,
  );
  let deliveries = sent.length;
  const [{ tenant_id: tenantId, run_id: runId } = { tenant_id: '', run_id: '' }] = await administer<{ tenant_id: string; run_id: string }>(
    stack,
    'select tenant_id, run_id from run where experiment_id = $1',
    [experimentId],
  );
  const job = { tenantId, experimentId, runId };
  let sending = true;
  const violations: Violation[] = [];

  const send = async (): Promise<void> => {
    for (let next = sent.pop(); next; next = sent.pop()) {
      const { file, offset, range } = next;
      const answer = await client.send('PATCH', `/files/${file.fileId}`, appendHeaders(offset, range), range);
      if (answer.status !== 204)
        throw new Error(`a range was refused: ${answer.status} ${answer.status === null ? answer.error : answer.body.toString()}`);
    }
  };
  const work = async (): Promise<void> => {
    for (let idle = 0; idle < 3;) {
      const outcome = await ingestRun(store, blobs, job, bounds).catch((error: Error) => {
        const { cause } = error;
        // Refused by the database, and so rolled back: another worker was faster. Anything else must not happen
        if (!(cause instanceof Error && 'code' in cause)) violations.push({ kind: 'unreadable', detail: error.message });
        return 'busy' as const;
      });
      deliveries++;
      idle = sending || outcome === 'more' ? 0 : idle + 1;
      if (outcome !== 'more') await sleep(random() * 4);
    }
  };
  const sends = Promise.all(Array.from({ length: 4 }, send)).finally(() => (sending = false));
  await Promise.all([sends, ...Array.from({ length: workers }, work)]);
  await publishEpochs(store, tenantId, experimentId, { listeners: [] });
  const log = new AckLog();
  for (const { fileId, length } of files) log.promise(fileId, length, 'every range was taken');
  const result = await check({ url: stack.parts.front.url, token: stack.token, files, log, drainMs: 3_000 * stack.patience, graceMs: 0 });
  return { violations: [...violations, ...result.violations], deliveries };
}

function shuffle<T>(list: T[], random: () => number): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
