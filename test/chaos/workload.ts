import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { AckLog } from './ack-log.ts';
import { check, type CheckResult, type Violation } from './checker.ts';
import { ChaosClient, GaveUp, type Pace, type SentFile } from './client.ts';
import type { Stack } from './stack.ts';
import { countPoints, type FilePlan } from './training.ts';
import { VisibilityWatch } from './visibility.ts';

/** Who uploads how much. */
export interface WorkloadOptions {
  readonly seed: number;
  /** Clients that upload at the same time, a run each. */
  readonly lanes: number;
  /** Runs of one experiment; then the next one is begun. */
  readonly runsPerExperiment?: number;
  /** Pause between two ranges of a lane, on average. */
  readonly pauseMs?: number;
  /** So often one bit of a body is flipped on its way. */
  readonly flipChance?: number;
  /** Longest wait for an answer. */
  readonly timeoutMs?: number;
  /** What a run holds, instead of the usual mix. */
  readonly shape?: (random: () => number) => RunShape;
  /** After so long without any progress, a client gives up. */
  readonly patienceMs?: number;
}

/** What a lane sends of one run: two files, the second of which begins again at the middle of the first. */
export interface RunShape {
  readonly events: number;
  readonly tags: number;
  readonly pace: Pace;
  /** Histograms, texts and pictures in each of the two files. By default every third run has some. */
  readonly media?: number;
}

/** What every third run has, unless its shape says otherwise: each is a batch of its own to a live run, so they are few. */
const usualMedia = 6;

/** Everything acknowledged must be visible within the interval of the sweeper and ten seconds. */
export const drainMs = 12_000;

/**
 * Trainings without end: each lane uploads one run after the other, until it is told to finish. What it sends follows from the seed, so the checker
 * needs no copy of it.
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

  /** Starts the lanes. */
  start(): this {
    const { seed, lanes, flipChance, timeoutMs, patienceMs } = this.#options;
    const { url, token } = this.#stack;
    this.#lanesAtWork = lanes;
    this.#lanes = Promise.all(
      Array.from({ length: lanes }, (_, lane) => {
        const random = seededRandom(seed * 65_537 + lane);
        const client = new ChaosClient({ url, token, log: this.log, random, flipChance, timeoutMs, patienceMs });
        this.clients.push(client);
        return this.#run(client, random);
      }),
    );
    return this;
  }

  /** Whether no lane goes on any more: each has finished, or gave up. */
  get isOver(): boolean {
    return this.#lanesAtWork === 0;
  }

  /** Bytes that were acknowledged so far. */
  get acknowledgedBytes(): number {
    return this.log.entries.reduce((sum, { outcome, length }) => sum + (outcome === 'ok' ? length : 0), 0);
  }

  get points(): number {
    return this.files.reduce((sum, { plan }) => sum + countPoints(plan), 0);
  }

  /** Bits that were flipped on the way and refused for it. */
  get flipsRefused(): number {
    return this.clients.reduce((sum, client) => sum + client.flipsRefused, 0);
  }

  /** Lets the lanes finish the runs that they have begun. */
  async finish(): Promise<void> {
    this.#finishing = true;
    await this.#lanes;
  }

  /** Lets the lanes stop where they are. */
  async halt(): Promise<void> {
    this.#finishing = true;
    for (const client of this.clients) client.close();
    await this.#lanes;
  }

  /** Compares everything with what was promised and logged. The faults are over. */
  async check(drainWithinMs = drainMs * this.#stack.patience, graceMs?: number): Promise<CheckResult> {
    const { front, token } = this.#stack.parts;
    const result = await check({ url: front.url, token, files: this.files, log: this.log, drainMs: drainWithinMs, graceMs });
    const taken = this.clients.flatMap(({ flipsTaken }) => flipsTaken);
    await this.visibility.stop();
    const early = this.visibility.violations;
    const odd = [...this.#oddAnswers()].map(([key, count]): Violation => ({
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

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.halt();
    await this.visibility.stop();
  }

  /** What clients met, for the report. */
  get summary(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const ok = this.log.count('ok');
    return [
      `${this.log.entries.length} appends: ${ok} acknowledged, ${this.log.count('fail')} refused, ${this.log.count('unknown')} without an answer`,
      `${(ok / seconds).toFixed(0)} acknowledgements/s, ${(this.acknowledgedBytes / seconds / 1e6).toFixed(2)} MB/s`,
      `answers: ${this.log
        .statuses()
        .map(([status, count]) => `${status} × ${count}`)
        .join(', ')}`,
    ].join('\n');
  }

  /** Answers of the service's that no client should see, and how often each came. */
  #oddAnswers(): Map<string, number> {
    const odd = new Map<string, number>();
    for (const client of this.clients) for (const [key, count] of client.oddAnswers) odd.set(key, (odd.get(key) ?? 0) + count);
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

  /** Ids of the experiments that it has made so far. */
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
      // Noted before it is sent: a file that nobody could finish is looked at, too
      await client.upload(experimentId, plan, pace, (file) => {
        this.files.push(file);
        this.visibility.belongs(file);
      });
      if (client.halt.signal.aborted) return;
    }
  }
}

/** Many small live runs, some of middling size, few with ranges so large that they become objects. */
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

/** Resolves when `done`, asked again and again, is true; false after `ms`. */
export async function within(ms: number, done: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) if (await done()) return true;
  return false;
}
