import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventWriter, scalarTag } from './event-writer.ts';
import { tagNames } from './generate-logs.ts';
import { HttpClient } from './http.ts';
import { defaultModel, RunModel } from './log-model.ts';
import { writtenBytes } from './usage.ts';
import { Database } from './postgres.ts';
import { type Service, startUpload } from './service.ts';

/** What was written while a training was watched; bytes, between two checkpoints. */
export interface LiveTraffic {
  readonly seconds: number;
  readonly points: number;
  readonly fileBytes: number;
  readonly serviceWritten: number;
  readonly walBytes: number;
  readonly fullPageImages: number;
  readonly walWritten: number;
  readonly dataWritten: number;
  readonly commits: number;
}

/** Seconds of training before counting begins: making the experiment, the run and the series is not what is asked. */
const warmUpSeconds = 10;

/**
 * Logs a point a second to each tag of one run, as a training does, while `plotline upload` watches, and counts what the service and its
 * Postgres write. A checkpoint before and one after: so data pages are counted as well as WAL, and full-page images of one cycle.
 * Postgres counts for itself (pg_stat_io): where the file system keeps large folios, /proc/PID/io takes every 8 KiB of WAL that is flushed for
 * the whole folio of up to 1 MiB (seen on ext4 of Linux 6.18, where the device wrote 9 KiB).
 */
export async function measureLive(
  service: Service,
  directory: string,
  options: { readonly seconds: number; readonly tags: number; readonly say: (line: string) => void },
): Promise<LiveTraffic> {
  const training = new Training(join(directory, 'run', 'events.out.tfevents.1780000000.host.1.0.v2'), options.tags);
  training.step();
  const watching = startUpload(service, directory, ['--new']);
  const database = await Database.open(service.dataFolder);
  const counters = async () => ({ ...(await database.writes()), serviceWritten: writtenBytes(service.running.pid) ?? 0 });
  try {
    await everySecond(warmUpSeconds, () => training.step());
    await database.checkpoint();
    const before = {
      ...(await counters()),
      points: training.points,
      bytes: training.bytes,
      at: performance.now(),
    };
    await everySecond(options.seconds, () => training.step());
    await untilVisible(service, training.points);
    await database.checkpoint();
    const after = await counters();
    return {
      seconds: (performance.now() - before.at) / 1000,
      points: training.points - before.points,
      fileBytes: training.bytes - before.bytes,
      serviceWritten: after.serviceWritten - before.serviceWritten,
      walBytes: after.walBytes - before.walBytes,
      fullPageImages: after.fullPageImages - before.fullPageImages,
      walWritten: after.walWritten - before.walWritten,
      dataWritten: after.dataWritten - before.dataWritten,
      commits: after.commits - before.commits,
    };
  } finally {
    await database.close();
    watching.process.kill('SIGINT');
    await watching.stop();
  }
}

class Training {
  readonly #file: string;
  readonly #writer: EventWriter;
  readonly #tags;
  readonly #model = new RunModel(defaultModel, 0);
  #step = 0;
  points = 0;

  constructor(file: string, tags: number) {
    this.#file = file;
    this.#tags = tagNames(tags).map((name) => scalarTag(name, 'float-val'));
    this.#writer = new EventWriter((bytes) => appendFileSync(this.#file, bytes), 64 * 1024);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    this.#writer.version(Date.now() / 1000);
  }

  get bytes(): number {
    return this.#writer.written;
  }

  step(): void {
    let wallTime = Date.now() / 1000;
    for (const [tag, template] of this.#tags.entries()) {
      this.#writer.scalar(template, this.#step === 0, wallTime, this.#step, this.#model.value(tag % defaultModel.tags, this.#step));
      wallTime += this.#model.gap();
    }
    this.#writer.flush();
    this.#step++;
    this.points += this.#tags.length;
  }
}

/** Calls `act` on a fixed grid of seconds, however long it takes. */
async function everySecond(times: number, act: () => void): Promise<void> {
  const started = performance.now();
  for (let n = 1; n <= times; n++) {
    await delay(Math.max(0, started + n * 1000 - performance.now()));
    act();
  }
}

async function untilVisible(service: Service, points: number): Promise<void> {
  const http = new HttpClient();
  const headers = { authorization: `Bearer ${service.token}` };
  try {
    let visible = 0;
    for (const end = performance.now() + 60_000; performance.now() < end; await delay(500)) {
      const { experiments } = await http.json<{ experiments: { points: number }[] }>(`${service.origin}/api/v1/experiments`, { headers });
      visible = experiments[0]?.points ?? 0;
      if (visible === points) return;
    }
    throw new Error(`${points} points were logged, ${visible} are visible a minute later`);
  } finally {
    http.close();
  }
}
