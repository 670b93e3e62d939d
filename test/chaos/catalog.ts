import type { Scenario } from './scenario.ts';
import { bitFlips } from './scenarios/bit-flips.ts';
import { cliKills } from './scenarios/cli-kills.ts';
import { durableOrder } from './scenarios/durable-order.ts';
import { droppedResponses } from './scenarios/dropped-responses.ts';
import { ingestKills } from './scenarios/ingest-kills.ts';
import { exhaustedJobs, orphanedJobs } from './scenarios/lost-jobs.ts';
import { negativeControls } from './scenarios/negative-controls.ts';
import { redisWipes } from './scenarios/redis-wipes.ts';
import { shuffledDeliveries } from './scenarios/shuffled-deliveries.ts';
import { snapshotReaders } from './scenarios/snapshot-readers.ts';
import { tailReaders } from './scenarios/tail-readers.ts';
import { uploadKills } from './scenarios/upload-kills.ts';
import { zombies } from './scenarios/zombies.ts';

/**
 * The scenarios by topic. In the short set, each of these lists has its own file and system, so
 * they run in parallel.
 */
export const scenarios = {
  uploads: [uploadKills, durableOrder, bitFlips, cliKills, droppedResponses],
  jobs: [redisWipes, ingestKills, orphanedJobs],
  workers: [zombies, exhaustedJobs],
  readers: [snapshotReaders, tailReaders],
  controls: [negativeControls, shuffledDeliveries],
} as const satisfies Readonly<Record<string, readonly Scenario[]>>;

/** All scenarios, in the order of docs/reliability.md. */
export const catalog: readonly Scenario[] = Object.values(scenarios)
  .flat()
  .toSorted((a, b) => Number.parseInt(a.test) - Number.parseInt(b.test));
