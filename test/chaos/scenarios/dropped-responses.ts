import { conclude, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import { within, Workload } from '../workload.ts';

/** Test 15: the network drops 30 % of the responses, although the requests have arrived. */
export const droppedResponses: Scenario = {
  test: '15',
  title: '30 % of the responses are dropped',
  counts: { short: 60, full: 2_000 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const link = stack.link('client');
    const before = link.effects.droppedResponses;
    const dropped = (): number => link.effects.droppedResponses - before;
    const workload = new Workload(stack, { seed, lanes: 6, pauseMs: 10 });
    link.faults = { dropResponseChance: 0.3 };
    workload.start();
    const reached = await within(600_000, () => dropped() >= count);
    // The faults remain until the end, so that every request is counted under the same conditions.
    await workload.finish();
    link.faults = {};
    const requests = workload.clients.reduce((sum, client) => sum + client.requests, 0);
    const needed = workload.clients.reduce((sum, client) => sum + client.steps, 0);
    const extra = requests - needed;
    const figures = [
      `${dropped()} responses dropped of ${requests} requests; ${needed} would have been needed, so ${(extra / dropped()).toFixed(2)} extra round trips per drop`,
    ];
    const unmet = [
      ...(reached ? [] : ['too few responses were dropped']),
      ...(extra <= dropped() ? [] : [`${extra} extra round trips for ${dropped()} drops`]),
    ];
    return conclude(workload, figures, unmet);
  },
};
