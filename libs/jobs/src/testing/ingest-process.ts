/*
 * An ingest process, for tests that stop, kill and end it: `node ingest-process.ts <redis url>
 * <queue> <lock ms>`. Prints `started <run>` and `ended <run>` to standard output. A job ends when
 * a line is read. SIGTERM closes the process.
 */
import { createInterface } from 'node:readline';
import { BullMqDispatcher } from '../bullmq-dispatcher.ts';

const [redisUrl = '', name = '', lockMs = ''] = process.argv.slice(2);
const held: (() => void)[] = [];
const lines = createInterface({ input: process.stdin });
lines.on('line', () => held.shift()?.());

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const dispatcher = new BullMqDispatcher({
  redis: { url: redisUrl },
  name,
  lockMs: Number(lockMs),
  groupMs: 0,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
dispatcher.start(async (job) => {
  const ended = new Promise<void>((resolve) => held.push(resolve));
  say(`started ${job.runId}`);
  await ended;
  say(`ended ${job.runId}`);
  return 'idle';
}, 1);
process.once('SIGTERM', () => {
  lines.close();
  process.stdin.destroy();
  say('closing');
  for (const end of held.splice(0)) end();
  void dispatcher.close().then(() => say(`closed, lapsed ${dispatcher.counts.lapsed}`));
});
