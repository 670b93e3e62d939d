import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { Reader } from '../reader.ts';
import { conclude, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import { drainMs, within, Workload } from '../workload.ts';

/**
 * Test 5: Redis is killed and loses its data repeatedly during an upload; and a deployment starts
 * with an empty Redis.
 */
export const redisWipes: Scenario = {
  test: '5',
  title: 'Redis is killed and wiped during an upload',
  counts: { short: 2, full: 20 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
    const workload = new Workload(stack, { seed, lanes: 6 }).start();
    const drains: number[] = [];
    const unmet: string[] = [];

    /** Time until everything that was acknowledged when Redis came back is visible. */
    const measure = async (what: string): Promise<void> => {
      const began = performance.now();
      const experiments = [...new Set(workload.files.map(({ experimentId }) => experimentId))];
      const marks = await Promise.all(experiments.map(async (id) => ({ id, epoch: (await frontier(reader, id)).acknowledged_epoch })));
      for (const { id, epoch } of marks) {
        const left = drainMs * stack.timeFactor - (performance.now() - began);
        if (!(await within(Math.max(left, 0), async () => (await frontier(reader, id)).epoch >= epoch)))
          unmet.push(`${what}: the backlog was not drained within ${drainMs * stack.timeFactor} ms`);
      }
      drains.push(performance.now() - began);
    };

    await within(60_000, () => workload.log.count('ok') >= 20);
    for (let wipe = 1; wipe <= count; wipe++) {
      await sleep(300 + random() * 1_200);
      const { pid } = stack.redis;
      await stack.redis.wipe();
      if (pid === null) unmet.push('Redis was not running');
      await sleep(random() * 1_500);
      await stack.redis.start();
      await measure(`wipe ${wipe}`);
    }
    // A deployment: every process is replaced, and Redis is new.
    await Promise.all([...stack.of('upload'), ...stack.of('ingest')].map((process) => process.kill(() => sleep(200))));
    await stack.redis.wipe();
    await stack.redis.start();
    await stack.ready();
    await measure('the deploy');

    return conclude(workload, [`${count} wipes and a deployment with an empty Redis; drained after ${times(drains)}`], unmet);
  },
};

function frontier(reader: Reader, experimentId: string): Promise<{ epoch: number; acknowledged_epoch: number }> {
  return reader.json(`/experiments/${experimentId}/frontier`);
}
