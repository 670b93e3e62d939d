import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventWriter, scalarTag } from './event-writer.ts';
import { tagNames } from './generate-logs.ts';
import { HttpClient } from './http.ts';
import { defaultModel, RunModel } from './log-model.ts';
import { processTree, Tally, writtenBytes } from './usage.ts';
import { Database } from './postgres.ts';
import { type Service, startUpload } from './service.ts';

/** What was written while a training was watched; bytes, between two checkpoints. */
export interface LiveTraffic {
  readonly seconds: number;
  readonly points: number;
  readonly fileBytes: number;
  readonly postgresWritten: number;
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
  const traffic = new WrittenBytes(service.running.pid);
  try {
    await everySecond(warmUpSeconds, () => training.step());
    await database.checkpoint();
    const before = {
      ...(await database.writes()),
      ...traffic.look(),
      points: training.points,
      bytes: training.bytes,
      at: performance.now(),
    };
    await everySecond(options.seconds, () => {
      training.step();
      traffic.look();
    });
    await untilVisible(service, training.points);
    // Seen before the checkpoint too: a backend may end, and what it wrote with it.
    traffic.look();
    await database.checkpoint();
    const after = { ...(await database.writes()), ...traffic.look() };
    return {
      seconds: (performance.now() - before.at) / 1000,
      points: training.points - before.points,
      fileBytes: training.bytes - before.bytes,
      postgresWritten: after.postgres - before.postgres,
      serviceWritten: after.service - before.service,
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

/** Bytes written so far by the service and by everything below it. */
class WrittenBytes {
  readonly #service: number;
  readonly #tally = new Tally(writtenBytes);

  constructor(servicePid: number) {
    this.#service = servicePid;
  }

  look(): { readonly service: number; readonly postgres: number } {
    this.#tally.look(processTree(this.#service));
    const service = this.#tally.of(this.#service);
    return { service, postgres: this.#tally.total() - service };
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
