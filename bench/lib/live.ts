import { crc32c } from '@node-rs/crc32';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventWriter, scalarTag } from './event-writer.ts';
import { tagNames } from './generate-logs.ts';
import { HttpClient } from './http.ts';
import { defaultModel, RunModel } from './log-model.ts';
import { writtenBytes } from './usage.ts';
import { Database, type Writes } from './postgres.ts';
import { type EmbeddedService, type Service, startUpload } from './service.ts';

/** Bytes written during a live run, between two checkpoints. */
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

/**
 * Seconds of training before counting starts, because the creation of the experiment, the run and
 * the series is not measured.
 */
const warmUpSeconds = 10;

/**
 * Logs a point per second to each tag of one run while `plotline upload` watches, and counts what
 * the service and its Postgres write. One checkpoint precedes the measurement and another ends it,
 * so the count includes data pages and WAL, with the full-page images of one cycle. The numbers
 * come from pg_stat_io: on file systems with large folios, /proc/PID/io counts the whole folio of
 * up to 1 MiB for every 8 KiB of flushed WAL (seen on ext4 of Linux 6.18).
 */
export async function measureLive(
  service: EmbeddedService,
  directory: string,
  options: { readonly seconds: number; readonly tags: number; readonly say: (line: string) => void },
): Promise<LiveTraffic> {
  const file = join(directory, 'run', 'events.out.tfevents.1780000000.host.1.0.v2');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const training = new Training((bytes) => appendFileSync(file, bytes), options.tags);
  training.step();
  const watching = startUpload(service, directory, ['--new']);
  const database = await Database.open(service.dataFolder);
  const counters = async () => ({ ...(await database.writes()), serviceWritten: writtenBytes(service.running.pid) ?? 0 });
  try {
    await everySecond(warmUpSeconds, () => training.step());
    await database.settle();
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
    return traffic((performance.now() - before.at) / 1000, training, before, after);
  } finally {
    await database.close();
    watching.process.kill('SIGINT');
    await watching.stop();
  }
}

/** Speedup of a condensed training run. */
export const condensedSpeed = 30;

/**
 * Measures the same training run at thirty times the speed, so that an hour takes two minutes, sent
 * in ranges as the watching CLI sends them. The service must shorten the time for grouping commits
 * by the same factor (see `condensedSettings`).
 */
export async function measureLiveCondensed(
  service: EmbeddedService,
  options: { readonly seconds: number; readonly tags: number; readonly say: (line: string) => void },
): Promise<LiveTraffic> {
  const http = new HttpClient();
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const api = `${service.origin}/api/v1`;
  const post = <T>(path: string, body: unknown) => http.json<T>(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { id } = await post<{ id: string }>('/experiments', { name: 'live' });
  const { file_id: file } = await post<{ file_id: string }>(`/experiments/${id}/files`, {
    run: 'run',
    name: 'events.out.tfevents.1780000000.host.1.0.v2',
  });
  const pieces: Uint8Array[] = [];
  const training = new Training((bytes) => pieces.push(Uint8Array.from(bytes)), options.tags);
  let clock = 1_780_000_000;
  let offset = 0;
  let epoch = '';
  const send = async (): Promise<void> => {
    const body = Buffer.concat(pieces.splice(0));
    const response = await http.expect(`${api}/files/${file}`, {
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': String(offset),
        'content-digest': `crc32c=:${crc32cBase64(body)}:`,
        'content-type': 'application/octet-stream',
      },
      body,
    });
    offset += body.length;
    epoch = String(response.headers['upload-epoch']);
  };
  /** For a slowly growing file, the watching CLI sends new bytes every three seconds. */
  const step = async (n: number): Promise<void> => {
    training.step((clock += 1 + (Math.random() - 0.5) * 0.004));
    if (n % 3 === 0) await send();
  };
  const visible = () => http.expect(`${api}/experiments/${id}/frontier?wait_for=${epoch}&timeout=30`, { headers });
  const database = await Database.open(service.dataFolder);
  const counters = async () => ({ ...(await database.writes()), serviceWritten: writtenBytes(service.running.pid) ?? 0 });
  try {
    for (let n = 1; n <= warmUpSeconds; n++) await step(n);
    await visible();
    await database.vacuumEvery(60 / condensedSpeed);
    await database.settle();
    const before = { ...(await counters()), points: training.points, bytes: training.bytes };
    const started = performance.now();
    for (let n = 1; n <= options.seconds; n++) {
      await delay(Math.max(0, started + (n * 1_000) / condensedSpeed - performance.now()));
      await step(n);
      if (n % 600 === 0) options.say(`${n} s of training`);
    }
    await visible();
    await database.checkpoint();
    return traffic(options.seconds, training, before, await counters());
  } finally {
    await database.close();
    http.close();
  }
}

/**
 * Settings of a service that watches a condensed training run: the group commit time shrinks by the
 * same factor.
 */
export const condensedSettings = { PLOTLINE_INGEST_GROUP_MS: String(1_500 / condensedSpeed) };

function traffic(
  seconds: number,
  training: Training,
  before: Writes & { readonly serviceWritten: number; readonly points: number; readonly bytes: number },
  after: Writes & { readonly serviceWritten: number },
): LiveTraffic {
  return {
    seconds,
    points: training.points - before.points,
    fileBytes: training.bytes - before.bytes,
    serviceWritten: after.serviceWritten - before.serviceWritten,
    walBytes: after.walBytes - before.walBytes,
    fullPageImages: after.fullPageImages - before.fullPageImages,
    walWritten: after.walWritten - before.walWritten,
    dataWritten: after.dataWritten - before.dataWritten,
    commits: after.commits - before.commits,
  };
}

/** A run that logs one step of all its tags on request. */
export class Training {
  readonly #writer: EventWriter;
  readonly #tags;
  readonly #model;
  #step = 0;
  points = 0;

  constructor(write: (bytes: Uint8Array) => void, tags: number, run = 0) {
    this.#model = new RunModel(defaultModel, run);
    this.#tags = tagNames(tags).map((name) => scalarTag(name, 'float-val'));
    this.#writer = new EventWriter(write, 64 * 1024);
    this.#writer.version(Date.now() / 1000);
  }

  get bytes(): number {
    return this.#writer.written;
  }

  /** Logs one step of all tags. `now`: seconds since the epoch. */
  step(now = Date.now() / 1000): void {
    let wallTime = now;
    for (const [tag, template] of this.#tags.entries()) {
      this.#writer.scalar(template, this.#step === 0, wallTime, this.#step, this.#model.value(tag % defaultModel.tags, this.#step));
      wallTime += this.#model.gap();
    }
    this.#writer.flush();
    this.#step++;
    this.points += this.#tags.length;
  }
}

/** Calls `act` once per second on a fixed grid, regardless of its duration. */
export async function everySecond(times: number, act: () => void): Promise<void> {
  const started = performance.now();
  for (let n = 1; n <= times; n++) {
    await delay(Math.max(0, started + n * 1000 - performance.now()));
    act();
  }
}

/** Resolves when the only experiment of a service has this many points; throws after a minute. */
export async function untilVisible(service: Service, points: number): Promise<void> {
  const http = new HttpClient();
  const headers = { authorization: `Bearer ${service.token}` };
  try {
    let visible = 0;
    for (const end = performance.now() + 60_000; performance.now() < end; await delay(500)) {
      const { experiments } = await http.json<{ experiments: { points: number }[] }>(`${service.origin}/api/v1/experiments`, { headers });
      visible = experiments[0]?.points ?? 0;
      if (visible === points) return;
    }
    throw new Error(`logged ${points} points, ${visible} are visible after a minute`);
  } finally {
    http.close();
  }
}

function crc32cBase64(bytes: Uint8Array): string {
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(crc32c(bytes));
  return digest.toString('base64');
}
