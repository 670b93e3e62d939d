import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { AckLog } from './ack-log.ts';
import { check, type CheckResult, type Violation } from './checker.ts';
import { ChaosClient, GaveUp, type Pace, type SentFile } from './client.ts';
import type { Stack } from './stack.ts';
import { countPoints, type FilePlan } from './training.ts';
import { VisibilityWatch } from './visibility.ts';

/** The number of clients, and how much they upload. */
export interface WorkloadOptions {
  readonly seed: number;
  /** Clients that upload concurrently, one run each. */
  readonly lanes: number;
  /** Runs per experiment before the next experiment starts. */
  readonly runsPerExperiment?: number;
  /** Average pause between two ranges of a client. */
  readonly pauseMs?: number;
  /** Probability that a bit of a body is flipped in transit. */
  readonly flipChance?: number;
  /** Timeout of a request. */
  readonly timeoutMs?: number;
  /** The content of the runs, instead of the usual mix. */
  readonly shape?: (random: () => number) => RunShape;
  /** A client gives up after this time without progress. */
  readonly giveUpMs?: number;
}

/**
 * The data that a client sends for one run: two files, of which the second restarts at the middle
 * of the first.
 */
export interface RunShape {
  readonly events: number;
  readonly tags: number;
  readonly pace: Pace;
  /**
   * Histograms, texts and images in each of the two files. By default, every third run has some.
   */
  readonly media?: number;
}

/** Default for every third run. Few, because each is a separate batch of a live run. */
const usualMedia = 6;

/** Limit until everything acknowledged is visible: the sweeper's interval plus ten seconds. */
export const drainMs = 12_000;

/**
 * Endless training runs: each client uploads one run after another until `finish` is called. The
 * data depends only on the seed, so the checker needs no copy.
 */
export class Workload {
  readonly log = new AckLog();
  readonly files: SentFile[] = [];
  readonly clients: ChaosClient[] = [];
  readonly visibility: VisibilityWatch;
  readonly #stack: Stack;
  readonly #options: WorkloadOptions;
  readonly #experiments: Promise<string>[] = [];
  readonly #gaveUp: Violation[] = [];
  readonly #startedAt = performance.now();
  #nextRun = 0;
  #lanesAtWork = 0;
  #finishing = false;
  #lanes: Promise<unknown> = Promise.resolve();

  constructor(stack: Stack, options: WorkloadOptions) {
    this.#stack = stack;
    this.#options = options;
    this.visibility = new VisibilityWatch({ url: stack.parts.front.url, token: stack.token }, this.log);
  }

  /** Starts the clients. */
  start(): this {
    const { seed, lanes, flipChance, timeoutMs, giveUpMs } = this.#options;
    const { url, token } = this.#stack;
    this.#lanesAtWork = lanes;
    this.#lanes = Promise.all(
      Array.from({ length: lanes }, (_, lane) => {
        const random = seededRandom(seed * 65_537 + lane);
        const client = new ChaosClient({ url, token, log: this.log, random, flipChance, timeoutMs, giveUpMs });
        this.clients.push(client);
        return this.#run(client, random);
      }),
    );
    return this;
  }

  /** Whether all clients have finished or given up. */
  get isOver(): boolean {
    return this.#lanesAtWork === 0;
  }

  /** Bytes acknowledged so far. */
  get acknowledgedBytes(): number {
    return this.log.entries.reduce((sum, { outcome, length }) => sum + (outcome === 'ok' ? length : 0), 0);
  }

  get points(): number {
    return this.files.reduce((sum, { plan }) => sum + countPoints(plan), 0);
  }

  /** Flipped bits that were rejected. */
  get flipsRejected(): number {
    return this.clients.reduce((sum, client) => sum + client.flipsRejected, 0);
  }

  /** Lets the clients finish their current runs. */
  async finish(): Promise<void> {
    this.#finishing = true;
    await this.#lanes;
  }

  /** Stops the clients immediately. */
  async halt(): Promise<void> {
    this.#finishing = true;
    for (const client of this.clients) client.close();
    await this.#lanes;
  }

  /** Compares the stored data with everything acknowledged and logged. Faults must have ended. */
  async check(drainWithinMs = drainMs * this.#stack.timeFactor, graceMs?: number): Promise<CheckResult> {
    const { front, token } = this.#stack.parts;
    const result = await check({ url: front.url, token, files: this.files, log: this.log, drainMs: drainWithinMs, graceMs });
    const taken = this.clients.flatMap(({ flipsTaken }) => flipsTaken);
    await this.visibility.stop();
    const early = this.visibility.violations;
    const odd = [...this.#oddResponses()].map(([key, count]): Violation => ({
      kind: 'odd-answer',
      detail: `no client can act upon: ${key}, ${count} times`,
    }));
    return {
      ...result,
      violations: [
        ...this.#gaveUp,
        ...taken.map((detail): Violation => ({ kind: 'damage-taken', detail })),
        ...odd,
        ...early,
        ...result.violations,
      ],
    };
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.halt();
    await this.visibility.stop();
  }

  /** Client statistics for the report. */
  get summary(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const ok = this.log.count('ok');
    return [
      `${this.log.entries.length} appends: ${ok} acknowledged, ${this.log.count('fail')} rejected, ${this.log.count('unknown')} without a response`,
      `${(ok / seconds).toFixed(0)} acknowledgements/s, ${(this.acknowledgedBytes / seconds / 1e6).toFixed(2)} MB/s`,
      `answers: ${this.log
        .statuses()
        .map(([status, count]) => `${status} × ${count}`)
        .join(', ')}`,
    ].join('\n');
  }

  /** Responses that no client should get, with their counts. */
  #oddResponses(): Map<string, number> {
    const odd = new Map<string, number>();
    for (const client of this.clients) for (const [key, count] of client.oddResponses) odd.set(key, (odd.get(key) ?? 0) + count);
    return odd;
  }

  async #run(client: ChaosClient, random: () => number): Promise<void> {
    try {
      while (!this.#finishing) await this.#uploadRun(client, random, this.#nextRun++);
    } catch (error) {
      if (!(error instanceof GaveUp)) throw error;
      if (!client.halt.signal.aborted) this.#gaveUp.push({ kind: 'client-gave-up', detail: error.message });
    } finally {
      this.#lanesAtWork--;
    }
  }

  /** Returns the IDs of the created experiments. */
  experimentIds(): Promise<string[]> {
    return Promise.all(Object.values(this.#experiments));
  }

  async #uploadRun(client: ChaosClient, random: () => number, run: number): Promise<void> {
    const { seed, runsPerExperiment = 24, shape = usualShape(this.#options.pauseMs ?? 60) } = this.#options;
    const number = Math.floor(run / runsPerExperiment);
    this.#experiments[number] ??= client.createExperiment(`chaos ${seed} ${number}`).then((id) => {
      this.visibility.watch(id);
      return id;
    });
    const experimentId = await this.#experiments[number];
    const { events, tags, pace, media = run % 3 === 0 ? usualMedia : 0 } = shape(random);
    const concurrent = run % 4 === 1;
    for (const part of [0, 1]) {
      const plan: FilePlan = {
        seed,
        number: run * 2 + part,
        concurrent: concurrent && part === 1,
        run: `run-${run}`,
        name: `events.out.tfevents.${1_700_000_000 + part}.host`,
        fromStep: part * Math.floor(events / 2),
        events,
        tags: Array.from({ length: tags }, (_, i) => `metric/${i}`),
        media,
      };
      // A file is recorded before it is sent, so that unfinished files are checked, too.
      await client.upload(experimentId, plan, pace, (file) => {
        this.files.push(file);
        this.visibility.belongs(file);
      });
      if (client.halt.signal.aborted) return;
    }
  }
}

/** Many small live runs, some medium runs, and a few with ranges large enough to become objects. */
function usualShape(pauseMs: number): (random: () => number) => RunShape {
  return (random) => {
    const kind = random();
    if (kind < 0.7)
      return {
        events: 40 + Math.floor(random() * 160),
        tags: 1 + Math.floor(random() * 3),
        pace: { minBytes: 200, maxBytes: 2_000, pauseMs },
      };
    if (kind < 0.93) return { events: 300 + Math.floor(random() * 600), tags: 2, pace: { minBytes: 2_000, maxBytes: 16_000, pauseMs } };
    return { events: 2_500 + Math.floor(random() * 2_000), tags: 3, pace: { minBytes: 66_000, maxBytes: 200_000, pauseMs: pauseMs * 3 } };
  };
}

/** Polls `done` until it returns true; returns false after `ms`. */
export async function within(ms: number, done: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) if (await done()) return true;
  return false;
}
