import { ingestGraph, ProgressTracker, timestamp } from '#progress';
import type { Bench } from './lib/bench.ts';
import type { Report, Row } from './lib/report.ts';
import { median } from './lib/stats.ts';

/** Numbers of epochs that are received but not yet published at the same time. */
const openEpochs = [1, 10, 100, 1_000, 10_000];

/**
 * Updates occurrence counts in the ingest graph on one core, and after each update checks, as a
 * worker does, whether a notification is due.
 */
export const progress: Bench = {
  name: 'progress',
  summary: 'updates of progress counts per second and core, with 1 to 10,000 open epochs',
  flags: {
    updates: { default: 2_000_000, help: 'updates per round' },
    rounds: { default: 5, help: 'rounds; the table shows medians' },
  },
  run(context) {
    const [updates, rounds] = [context.number('updates'), context.number('rounds')];
    const rates = new Map(openEpochs.map((open) => [open, [] as number[]]));
    for (let round = 0; round < rounds; round++) {
      // Interleaved, because machine speed drifts.
      for (const open of openEpochs) rates.get(open)!.push(rate(open, updates));
    }
    const rows: Row[] = [...rates].map(([open, measured]) => ({
      measure: `${open.toLocaleString('en-US')} open epochs`,
      value: median(measured),
      unit: 'M updates/s',
      atLeast: 1,
    }));
    const flat = median(rates.get(openEpochs[0]!)!) / median(rates.get(openEpochs.at(-1)!)!);
    rows.push({ measure: 'cost with 10,000 open epochs / with 1', value: flat, unit: 'x', atMost: 1.5 });
    const report: Report = { bench: 'progress', parameters: { updates, rounds }, rows, samples: Object.fromEntries(rates) };
    return Promise.resolve(report);
  },
};

/**
 * Millions of updates per second of CPU time, while each epoch passes through the graph `open`
 * epochs behind the input.
 */
function rate(open: number, wanted: number): number {
  const { graph, receive, received, stored, publish, toRollups, rollUp } = ingestGraph();
  const tracker = new ProgressTracker(graph, [{ location: receive, time: timestamp(0), diff: 1 }]);
  let updates = 0;
  let published = 0;
  const update = (location: number, epoch: number, diff: number): void => {
    tracker.update(location, location === rollUp ? timestamp(epoch, 0) : timestamp(epoch), diff);
    updates++;
  };
  const before = process.cpuUsage();
  for (let epoch = 0; updates < wanted; epoch++) {
    update(received, epoch, 1);
    update(publish, epoch, 1); // A waiter for this epoch.
    update(receive, epoch + 1, 1);
    update(receive, epoch, -1);
    const done = epoch - open + 1;
    if (done < 0) continue;
    update(stored, done, 1);
    update(toRollups, done, 1);
    update(received, done, -1);
    update(stored, done, -1);
    if (tracker.isFirst(publish, timestamp(done))) published++;
    update(publish, done, -1);
    update(rollUp, done, 1);
    update(toRollups, done, -1);
    update(rollUp, done, -1);
    if (published !== done + 1) throw new Error(`epoch ${done} is complete, and no notification was due`);
  }
  const { user, system } = process.cpuUsage(before);
  return updates / (user + system);
}
