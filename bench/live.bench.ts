import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServiceApart } from './lib/apart.ts';
import type { Bench, BenchContext } from './lib/bench.ts';
import { runName } from './lib/generate-logs.ts';
import { HttpClient } from './lib/http.ts';
import { everySecond, Training, untilVisible } from './lib/live.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report } from './lib/report.ts';
import { type Service, startService, startUpload } from './lib/service.ts';
import { median, quantile } from './lib/stats.ts';

const MiB = 1024 * 1024;
/** Poll interval of the frontier. The error of a lag is this plus one request. */
const everyMs = 50;

/**
 * Measures how long it takes until acknowledged points are readable, with many concurrent live runs
 * that the real CLI watches.
 */
export const live: Bench = {
  name: 'live',
  summary: 'live runs that log a point per second and tag, watched by the CLI: delay from acknowledged to visible',
  flags: {
    runs: { default: 200, help: 'concurrent runs' },
    tags: { default: 20, help: 'tags per run' },
    seconds: { default: 60, help: 'duration; the first ten seconds are not counted' },
    apart: { default: true, help: 'use separate processes over Redis and S3; default: embedded' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const data = join(folder, 'data');
      const service = context.on('apart') ? await startServiceApart(data) : await startService(data);
      try {
        const lags = await watchTraining(service, join(folder, 'logs'), context);
        const peaks = 'peaks' in service ? service.peaks() : { service: service.usage().peakResident };
        return report(context, lags, peaks);
      } finally {
        await service.stop();
      }
    });
  },
};

interface Lags {
  /**
   * Milliseconds per epoch, from the first response that shows it as acknowledged to the first that
   * shows it as visible.
   */
  readonly visible: readonly number[];
  readonly points: number;
  /** Time from the last logged step until everything was visible. */
  readonly restMs: number;
  /** CPU seconds that the service uses per second. */
  readonly processor: number;
}

async function watchTraining(service: Service, directory: string, context: BenchContext): Promise<Lags> {
  const trainings = Array.from({ length: context.number('runs') }, (_, run) => {
    const file = join(directory, runName(run), 'events.out.tfevents.1780000000.host.1.0.v2');
    mkdirSync(dirname(file), { recursive: true });
    return new Training((bytes) => appendFileSync(file, bytes), context.number('tags'), run);
  });
  const step = (): void => {
    for (const training of trainings) training.step();
  };
  step();
  const watching = startUpload(service, directory, ['--new']);
  const frontier = new FrontierLog(service);
  try {
    await everySecond(10, step);
    const processor = service.usage().processorSeconds;
    frontier.start();
    await everySecond(context.number('seconds'), step);
    const used = service.usage().processorSeconds - processor;
    const points = trainings.reduce((sum, training) => sum + training.points, 0);
    const ended = performance.now();
    await untilVisible(service, points);
    const restMs = performance.now() - ended;
    return { visible: await frontier.stop(), points, restMs, processor: used / context.number('seconds') };
  } finally {
    await frontier.stop();
    watching.process.kill('SIGINT');
    await watching.stop();
  }
}

/**
 * Polls the frontier of the only experiment and records when each epoch was first seen as
 * acknowledged and as visible.
 */
class FrontierLog {
  readonly #http = new HttpClient();
  readonly #service: Service;
  readonly #acknowledged = new Map<number, number>();
  readonly #lags: number[] = [];
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(service: Service) {
    this.#service = service;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Returns the lags of all epochs that were seen as acknowledged. */
  async stop(): Promise<readonly number[]> {
    this.#stopped = true;
    await this.#running;
    this.#http.close();
    return this.#lags;
  }

  async #run(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#service.token}` };
    const api = `${this.#service.origin}/api/v1/experiments`;
    const { experiments } = await this.#http.json<{ experiments: { id: string }[] }>(api, { headers });
    let last: { epoch: number; acknowledged_epoch: number } | null = null;
    while (!this.#stopped) {
      const now = await this.#http.json<{ epoch: number; acknowledged_epoch: number }>(`${api}/${experiments[0]!.id}/frontier`, {
        headers,
      });
      const at = performance.now();
      if (last) for (let epoch = last.acknowledged_epoch + 1; epoch <= now.acknowledged_epoch; epoch++) this.#acknowledged.set(epoch, at);
      for (const [epoch, since] of this.#acknowledged) {
        if (epoch > now.epoch) break;
        this.#lags.push(at - since);
        this.#acknowledged.delete(epoch);
      }
      last = now;
      await delay(everyMs);
    }
  }
}

function report(context: BenchContext, lags: Lags, peaks: Readonly<Record<string, number>>): Report {
  const parameters = Object.fromEntries(['runs', 'tags', 'seconds'].map((flag) => [flag, context.number(flag)]));
  return {
    bench: 'live',
    parameters: { ...parameters, apart: context.on('apart') ? 1 : 0, points: lags.points },
    rows: [
      {
        measure: 'acknowledged until visible, p99',
        value: quantile(lags.visible, 0.99) / 1_000,
        unit: 's',
        atMost: 2,
        note: `median ${(median(lags.visible) / 1_000).toFixed(2)}, ${lags.visible.length} epochs`,
      },
      { measure: 'last step until everything is visible', value: lags.restMs / 1_000, unit: 's' },
      {
        measure: 'processors used by the service',
        value: lags.processor,
        unit: '',
        note: context.on('apart') ? 'without Postgres' : 'with Postgres',
      },
      ...Object.entries(peaks).map(([name, bytes]) => ({
        measure: `${name}, peak memory (VmHWM)`,
        value: bytes / MiB,
        unit: 'MiB',
        atMost: context.on('apart') ? 512 : 600,
      })),
    ],
    samples: { lags: lags.visible },
  };
}
