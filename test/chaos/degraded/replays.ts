import { seededRandom } from '#testing';
import { ChaosClient, sha256, type SentFile } from '../client.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import type { DegradedScenario } from './report.ts';
import { type Trial, trial } from './trial.ts';

/**
 * Clients repeat everything: they send each range up to five times, to two processes at the same
 * time, in any order within the window, during ingest and long after the file was joined, and with
 * different boundaries than the first time.
 */
export const replays: DegradedScenario = {
  test: 16,
  name: 'forced replays of the native protocol',
  run: (options) =>
    trial(options, { stack: { uploads: 2, ingests: 2 }, workload: { lanes: 2 } }, async (parts) => {
      const random = seededRandom(options.seed);
      const client = new ChaosClient({ url: parts.stack.url, token: parts.stack.token, log: parts.workload.log, random });
      const experimentId = await client.createExperiment('replays');
      const tally = { sent: 0, taken: 0, rejected: new Map<string, number>() };
      for (let number = 0; number < (options.full ? 300 : 12); number++)
        await replay(parts, { client, experimentId, random, tally }, number);
      client.close();
      const rejected = [...tally.rejected].map(([status, count]) => `${status} × ${count}`).join(', ') || 'none';
      parts.report.figure(`${tally.sent} ranges sent, ${tally.taken} acknowledged, refused: ${rejected}`);
      parts.report.must(
        [...tally.rejected.keys()].every((status) => ['409', '503', '429'].includes(status)),
        `replays were rejected with ${rejected}`,
      );
    }),
};

interface Replayer {
  readonly client: ChaosClient;
  readonly experimentId: string;
  readonly random: () => number;
  readonly tally: { sent: number; taken: number; readonly rejected: Map<string, number> };
}

async function replay({ workload, stack }: Trial, replayer: Replayer, number: number): Promise<void> {
  const { client, experimentId, random } = replayer;
  const plan: FilePlan = {
    seed: stack.seed,
    number: 1_000_000 + number,
    run: `replayed-${number}`,
    name: 'events.out.tfevents.1700000000.host',
    fromStep: 0,
    events: 200 + Math.floor(random() * 800),
    tags: ['metric/0', 'metric/1'],
    media: 6,
  };
  const bytes = bytesOf(plan);
  const file = await client.announce(experimentId, plan, bytes);
  workload.files.push(file);
  // The first pass sends the whole file, each range with its repetitions.
  let at = 0;
  while (at < bytes.length) {
    const end = Math.min(bytes.length, at + 500 + Math.floor(random() * 20_000));
    const times = 1 + Math.floor(random() * 5);
    await Promise.all(Array.from({ length: times }, () => send(replayer, file, at, bytes.subarray(at, end))));
    at = await client.position(file.fileId);
  }
  await client.complete(file, bytes);
  // The second pass sends the whole file again with other boundaries, in any order.
  const cuts = cutsOf(bytes.length, random);
  for (const [from, to] of cuts) await send(replayer, file, from, bytes.subarray(from, to));
  await client.complete(file, bytes);
}

async function send({ client, tally }: Replayer, { fileId }: SentFile, offset: number, range: Buffer): Promise<void> {
  const headers = {
    'content-type': 'application/octet-stream',
    'upload-offset': offset,
    'content-digest': `sha-256=:${Buffer.from(sha256(range), 'hex').toString('base64')}:`,
  };
  const response = await client.send('PATCH', `/files/${fileId}`, headers, range);
  tally.sent++;
  const status = String(response.status ?? response.error);
  if (status === '204') tally.taken++;
  else tally.rejected.set(status, (tally.rejected.get(status) ?? 0) + 1);
}

/** Returns ranges that cover `length`, some more than once, in any order. */
function cutsOf(length: number, random: () => number): [from: number, to: number][] {
  const cuts: [number, number][] = [];
  for (let at = 0; at < length;) {
    const to = Math.min(length, at + 300 + Math.floor(random() * 30_000));
    cuts.push([at, to]);
    at = to;
  }
  return cuts
    .map((cut) => ({ cut, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ cut }) => cut);
}
