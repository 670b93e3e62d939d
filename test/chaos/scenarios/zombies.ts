import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { Reader } from '../reader.ts';
import { administer } from '../faults.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { conclude, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { type RunShape, within, Workload } from '../workload.ts';

const shape = (): RunShape => ({ events: 600, tags: 2, pace: { minBytes: 1_000, maxBytes: 6_000, pauseMs: 40 } });

/** Longer than the queue waits for a job's process to be heard of (5 s), twice; and, where it held a transaction, Postgres is told to give that up. */
const frozenMs = 10_000;

/**
 * Test 13: a worker is frozen in the middle of its work, another one does the work, and then the first one goes on as if nothing had happened. Postgres would
 * keep a silent transaction for half a minute; so that a round is not that long, the harness ends it, as an administrator would.
 */
export const zombies: Scenario = {
  test: '13',
  title: 'a frozen worker wakes up after another has done its work',
  counts: { short: 1, full: 100 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    // The one is most of its time between its last statement and its commit: that is where it is frozen
    await stack.arm('ingest-0', 'before-ingest-commit=sleep:2000');
    const workload = new Workload(stack, { seed, lanes: 3, shape }).start();
    const [zombie] = stack.of('ingest') as [ManagedProcess];
    const takenOver: number[] = [];
    const unmet: string[] = [];
    let inTransaction = 0;
    for (let round = 1; round <= count; round++) {
      await sleep(random() * 300);
      if (!(await freezeAtWork(stack, zombie))) unmet.push(`round ${round}: the worker could not be frozen`);
      const began = performance.now();
      if (await endItsTransactions(stack)) inTransaction++;
      if (!(await overtaken(stack, workload))) unmet.push(`round ${round}: nobody did the work of the frozen worker`);
      takenOver.push(performance.now() - began);
      // Twice the lock of the queue in every fifth round; in the others, as soon as the work is done
      if (round % 5 === 0) await sleep(Math.max(0, frozenMs - (performance.now() - began)));
      await zombie.thaw();
    }
    await stack.arm('ingest-0', null);
    return conclude(
      workload,
      [`${count} rounds, ${inTransaction} with a transaction open; its work was done by another after ${times(takenOver)}`],
      unmet,
    );
  },
};

/** Waits until it holds an ingest transaction, then freezes it. */
async function freezeAtWork(stack: Stack, process: ManagedProcess): Promise<boolean> {
  await process.ready();
  await within(20_000, async () => (await silentTransactions(stack)).length > 0);
  return process.freeze();
}

/** Backends of ingest that wait for their client, which only sleeps so long where it was told to. */
async function silentTransactions(stack: Stack): Promise<number[]> {
  const rows = await administer<{ pid: number }>(
    stack,
    `select pid from pg_stat_activity
     where application_name like 'plotline-ingest%' and state = 'idle in transaction' and state_change < now() - interval '300 ms'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Ends the transactions of the frozen process. True when there were any. */
async function endItsTransactions(stack: Stack): Promise<boolean> {
  await sleep(400); // it works on two runs at once, and may just have begun the other
  const pids = await silentTransactions(stack);
  await administer(stack, 'select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
  return pids.length > 0;
}

/** Until everything that was acknowledged by now is visible. */
async function overtaken(stack: Stack, workload: Workload): Promise<boolean> {
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  for (const experimentId of new Set(workload.files.map((file) => file.experimentId))) {
    const look = () => reader.json<{ epoch: number; acknowledged_epoch: number }>(`/experiments/${experimentId}/frontier`);
    const { acknowledged_epoch: mark } = await look();
    if (!(await within(40_000, async () => (await look()).epoch >= mark))) return false;
  }
  return true;
}
