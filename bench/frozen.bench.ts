import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServiceApart, type ServiceApart } from './lib/apart.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { HttpClient } from './lib/http.ts';
import { LiveFile } from './lib/live-file.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report } from './lib/report.ts';
import { median } from './lib/stats.ts';

/** The default number of runs that an ingest process works on concurrently. */
const concurrency = 2;
const stepEveryMs = 200;

/**
 * One of several ingest processes freezes for a few seconds, as on a machine that swaps. Measures
 * which runs' points are delayed, and for how long.
 */
export const frozen: Bench = {
  name: 'frozen',
  summary: 'an ingest process freezes for seconds: how long the points of other runs are delayed',
  flags: {
    runs: { default: 24, help: 'runs that log five times a second, each in its own experiment' },
    workers: { default: 2, help: 'ingest processes; the first one freezes' },
    seconds: { default: 5, help: 'duration of the freeze' },
    rounds: { default: 6, help: 'how often' },
  },
  run(context) {
    return withTemporaryFolder(async (folder) => {
      const settings = { PLOTLINE_INGEST_CONCURRENCY: String(concurrency) };
      const service = await startServiceApart(join(folder, 'data'), settings, { ingestProcesses: context.number('workers') });
      try {
        return await measure(service, context);
      } finally {
        await service.stop();
      }
    });
  },
};

async function measure(service: ServiceApart, context: BenchContext): Promise<Report> {
  const runs = await Promise.all(Array.from({ length: context.number('runs') }, () => WatchedRun.start(service)));
  const calm: number[] = [];
  const others: number[] = [];
  const held: number[] = [];
  try {
    await delay(3_000);
    for (let round = 0; round < context.number('rounds'); round++) {
      for (const run of runs) run.take();
      await delay(3_000);
      calm.push(...runs.flatMap((run) => run.take()));
      await freeze(service.pids.ingest[0]!, context.number('seconds') * 1_000);
      await delay(2_000);
      const max = runs.map((run) => Math.max(...run.take())).toSorted((a, b) => b - a);
      held.push(...max.slice(0, concurrency));
      others.push(...max.slice(concurrency));
      await delay(3_000);
    }
  } finally {
    await Promise.all(runs.map((run) => run.stop()));
  }
  return {
    bench: 'frozen',
    parameters: Object.fromEntries(['runs', 'workers', 'seconds', 'rounds'].map((flag) => [flag, context.number(flag)])),
    rows: [
      {
        measure: `acknowledged until visible, all runs but the ${concurrency} slowest of each round, maximum`,
        value: Math.max(...others) / 1_000,
        unit: 's',
        atMost: 1 + median(calm) / 1_000,
        note: `one second more than the ${median(calm).toFixed(0)} ms without a freeze`,
      },
      { measure: 'acknowledged until visible, median over runs', value: median(others) / 1_000, unit: 's' },
      {
        measure: `acknowledged until visible, the ${concurrency} slowest of each round, maximum`,
        value: Math.max(...held) / 1_000,
        unit: 's',
        note: 'the runs that the frozen process has claimed',
      },
      { measure: 'acknowledged until visible without a frozen process, maximum', value: Math.max(...calm) / 1_000, unit: 's' },
    ],
    samples: { others, held, calm },
  };
}

async function freeze(pid: number, forMs: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await delay(forMs);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** A run that logs continuously while its frontier is polled. */
class WatchedRun {
  readonly #file: LiveFile;
  readonly #url: string;
  readonly #http = new HttpClient();
  /** Epochs that are acknowledged and not yet visible. */
  readonly #waiting: { readonly epoch: number; readonly at: number }[] = [];
  #delays: number[] = [];
  #stopped = false;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(service: ServiceApart, file: LiveFile) {
    this.#file = file;
    this.#url = `${service.origin}/api/v1/experiments/${file.experimentId}/frontier`;
  }

  static async start(service: ServiceApart): Promise<WatchedRun> {
    const run = new WatchedRun(service, await LiveFile.open(service));
    run.#working = Promise.all([run.#log(), run.#watch()]);
    return run;
  }

  /**
   * Returns the milliseconds from acknowledged to visible for the epochs that became visible since
   * the last call, and how long the oldest pending epoch has waited.
   */
  take(): number[] {
    const now = performance.now();
    const delays = [...this.#delays, ...this.#waiting.slice(0, 1).map(({ at }) => now - at)];
    this.#delays = [];
    return delays.length > 0 ? delays : [0];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
    this.#http.close();
    this.#file.close();
  }

  async #log(): Promise<void> {
    while (!this.#stopped) {
      const at = await this.#file.step();
      this.#waiting.push({ epoch: this.#file.epoch, at });
      await delay(stepEveryMs);
    }
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      const { epoch } = await this.#http.json<{ epoch: number }>(this.#url, { headers: this.#file.headers });
      const now = performance.now();
      while (this.#waiting[0] && this.#waiting[0].epoch <= epoch) this.#delays.push(now - this.#waiting.shift()!.at);
      await delay(50);
    }
  }
}
