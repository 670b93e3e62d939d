import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { conclude, killStrikes, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import { appendHeaders, type ChaosClient, offsetOf } from '../client.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import { type RunShape, Workload } from '../workload.ts';

/** Long enough to stream during all kills, in ranges of a few records. */
const shape = (): RunShape => ({ events: 1_500, tags: 3, pace: { minBytes: 500, maxBytes: 6_000, pauseMs: 15 }, media: 15 });
const wantedPoints = 100_000;

/**
 * Tests 1 and 2: `kill -9` of upload processes at random moments while three clients stream 100,000
 * points.
 */
export const uploadKills: Scenario = {
  test: '1, 2',
  title: 'kill -9 of upload processes while clients stream',
  counts: { short: 6, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const random = seededRandom(seed);
    // Kills from outside happen at any moment; failpoints kill at the critical moments.
    await stack.arm('upload', 'after-object-put=kill:0.01,before-ledger-commit=kill:0.005,after-ledger-commit=kill:0.005');
    const processes = stack.of('upload');
    const before = processes.map(({ deaths }) => deaths.length);
    const strikesBefore = killStrikes(processes);
    const deaths = () => processes.flatMap((process, i) => process.deaths.slice(before[i]));
    const workload = new Workload(stack, { seed, lanes: 3, shape, timeoutMs: 8_000 }).start();
    for (let turn = 0; deaths().length < count; turn++) {
      const process = processes[turn % processes.length]!;
      // In the meantime, the other process serves; it dies as soon as this process is back.
      await process.ready();
      await sleep(random() * 300);
      await process.kill();
    }
    const kills = deaths();
    await stack.arm('upload', null);
    const points = count < 200 ? 0 : wantedPoints;
    while (workload.points < points) await sleep(100);
    const own = killStrikes(processes) - strikesBefore;

    const gone = await askForGoneFiles(stack, workload.clients[0]!, seed);
    const outcome = await conclude(workload, [
      `${kills.length} kills, ${own} of them by a failpoint; serves again after ${times(kills.map(({ recoveryMs }) => recoveryMs ?? NaN))}`,
    ]);
    const decreases = workload.log.decreases.length;
    return {
      ...outcome,
      figures: [
        ...outcome.figures,
        `${workload.points} points streamed; ${workload.log.count('unknown')} appends without a response; ${decreases} offsets decreased`,
        `responses for missing files: ${gone.map(({ said: output }) => output).join(', ')}`,
      ],
      unmet: [
        ...outcome.unmet,
        ...gone.filter(({ right }) => !right).map(({ said }) => `a missing file got ${said}, not 404 or 410 without an offset`),
      ],
    };
  },
};

/**
 * Requests a file that never existed and a file with bytes from a deleted experiment, and tries to
 * append to both. Each request is repeated once per upload process, round robin, because each
 * process remembers the file separately.
 */
async function askForGoneFiles(stack: Stack, client: ChaosClient, seed: number): Promise<{ said: string; right: boolean }[]> {
  const experimentId = await client.createExperiment('deleted');
  const plan: FilePlan = { seed, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events: 40, tags: ['a'] };
  const bytes = bytesOf(plan);
  const half = Math.floor(bytes.length / 2);
  const file = await client.announce(experimentId, plan, bytes);
  const every = stack.of('upload');
  await client.sendFrom(file, bytes.subarray(0, half), 0, { minBytes: 100, maxBytes: 200, pauseMs: 0 });
  for (const _ of every) await client.position(file.fileId);
  const deleted = await client.send('DELETE', `/experiments/${experimentId}`);
  if (deleted.status !== 204) throw new Error(`the experiment could not be deleted: ${deleted.status ?? deleted.error}`);

  const responses: { said: string; right: boolean }[] = [];
  const rest = bytes.subarray(half);
  for (const [what, fileId] of [
    ['never there', '999999999999'],
    ['deleted', file.fileId],
  ] as const)
    for (const _ of every)
      for (const method of ['HEAD', 'PATCH'] as const) {
        const path = `/files/${fileId}`;
        const response = await (method === 'HEAD' ? client.send(method, path) : client.send(method, path, appendHeaders(half, rest), rest));
        const offset = offsetOf(response);
        responses.push({
          said: `${what}, ${method}: ${response.status ?? response.error}${offset === null ? '' : ` with offset ${offset}`}`,
          right: (response.status === 404 || response.status === 410) && offset === null,
        });
      }
  return responses;
}
