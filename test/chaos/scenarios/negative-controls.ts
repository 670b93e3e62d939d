import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../checker.ts';
import { ms, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { type RunShape, within, Workload } from '../workload.ts';
import { removeClaimLock } from '../without/claim-lock.ts';
import { deliverShuffled } from './shuffled-deliveries.ts';
import { TailReader } from './tail-readers.ts';

const shape = (): RunShape => ({ events: 150, tags: 2, pace: { minBytes: 500, maxBytes: 4_000, pauseMs: 15 } });

/** A safeguard to remove, and the violation that the checker must report then. */
interface Control {
  readonly name: string;
  readonly expected: readonly Violation['kind'][];
  readonly run: (stack: Stack, seed: number) => Promise<readonly Violation[]>;
}

const controls: readonly Control[] = [
  { name: 'the sweeper is off', expected: ['never-visible'], run: withoutSweeper },
  {
    name: 'runs are not locked in the ledger',
    expected: ['points-doubled', 'unreadable'],
    // Without the lock, the ledger still rejects most concurrent work of two workers, so it takes
    // several orders to get a violation.
    run: async (stack, seed) =>
      (await deliverShuffled(stack, seed, 40, { remove: removeClaimLock, failpoints: 'after-pending-read=sleep:15' })).violations,
  },
  { name: 'the response leaves before the commit', expected: ['offset-decreased', 'acknowledged-and-lost'], run: withoutCommit },
  { name: 'the frontier is the highest epoch', expected: ['visible-too-early'], run: withoutFrontier },
];

/**
 * Test 12: each safeguard is removed once, and the checker must detect it. A harness that detects
 * nothing proves nothing.
 */
export const negativeControls: Scenario = {
  test: '12',
  title: 'negative controls: a safeguard is removed',
  counts: { short: 1, full: 3 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const figures: string[] = [];
    const unmet: string[] = [];
    for (const { name, expected, run } of controls) {
      for (let round = 0; round < count; round++) {
        const began = performance.now();
        const violations = await run(stack, seed + round);
        const found = violations.map(({ kind }) => kind).filter((kind) => expected.includes(kind));
        figures.push(
          `${name}: ${found.length} violations reported (${[...new Set(found)].join(', ') || 'none'}) after ${ms(performance.now() - began)}`,
        );
        if (found.length === 0) unmet.push(`${name}, and the checker did not detect it`);
      }
    }
    return { figures, violations: [], unmet };
  },
};

/** Hints from the time without ingest are lost with Redis; nothing queues their runs again. */
async function withoutSweeper(stack: Stack, seed: number): Promise<readonly Violation[]> {
  await Promise.all(stack.of('ingest').map((process) => process.stop()));
  const workload = new Workload(stack, { seed, lanes: 2, shape }).start();
  await within(60_000, () => workload.log.count('ok') > 30);
  await workload.finish();
  await stack.redis.wipe();
  await stack.redis.start();
  await stack.runWithout('ingest', 'sweep');
  const { violations } = await workload.check(6_000, 0); // Several rounds of a working sweeper.
  await workload.close();
  await stack.runWithout('ingest', null);
  return violations;
}

/** The ledger fails occasionally, although the client got an acknowledgement. */
async function withoutCommit(stack: Stack, seed: number): Promise<readonly Violation[]> {
  await stack.runWithout('upload', 'commit-before-ack', 'before-ledger-commit=throw:0.3');
  const workload = new Workload(stack, { seed, lanes: 3, shape, giveUpMs: 10_000 }).start();
  // A client stops at the end of its first file with missing bytes.
  await within(60_000, () => workload.log.count('ok') > 100 || workload.isOver);
  await stack.runWithout('upload', null);
  await workload.halt();
  const { violations } = await workload.check(6_000, 0); // Lost data never arrives.
  await workload.close();
  return violations;
}

/** Readers see everything acknowledged as visible. */
async function withoutFrontier(stack: Stack, seed: number): Promise<readonly Violation[]> {
  await stack.runWithout('read', 'frontier');
  const workload = new Workload(stack, { seed, lanes: 4, shape }).start();
  const tail = new TailReader(stack, workload.log);
  const until = performance.now() + 60_000;
  while (tail.violations.length === 0 && performance.now() < until) {
    await tail.lookAt(workload.files);
    await sleep(20);
  }
  await workload.finish();
  await workload.close();
  await stack.runWithout('read', null);
  return tail.violations;
}
