import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../visibility.ts';
import type { Report } from './report.ts';

/** One request, as whoever asks sees it. */
export interface Sample {
  readonly path: string;
  /** As performance.now(), when it was sent. */
  readonly at: number;
  readonly tookMs: number;
  /** Null: the connection failed, or nothing came for ten seconds. */
  readonly status: number | null;
  readonly retryAfter: string | null;
}

/** A request to ask again and again. */
export interface Question {
  readonly method: string;
  readonly path: string;
}

const everyMs = 100;
const timeoutMs = 10_000;

/** Asks the same questions ten times a second, each without waiting for the one before, and notes what came when. */
export class Prober {
  readonly samples: Sample[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #questions: readonly Question[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #open = new Set<Promise<void>>();
  #stopped = false;
  #loop: Promise<void>;

  constructor(url: string, token: string, questions: readonly Question[]) {
    this.#url = url;
    this.#token = token;
    this.#questions = questions;
    this.#loop = this.#run();
  }

  /** Stops asking, and resolves when all answers are there. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#open);
    this.#agent.destroy();
  }

  /** Milliseconds from `since` (performance.now()) until each question has been answered well; NaN when one has not within `patienceMs`. */
  async wellAfter(since: number, patienceMs = 60_000): Promise<number> {
    for (const until = performance.now() + patienceMs; performance.now() < until; await sleep(20)) {
      const first = this.#questions.map(({ path }) =>
        this.samples.find((sample) => sample.path === path && sample.at >= since && isWell(sample)),
      );
      if (first.every((sample) => sample !== undefined)) return Math.max(...first.map((sample) => sample.at + sample.tookMs - since));
    }
    return NaN;
  }

  /** Checks what was answered to questions asked between two moments: well, or 503 with Retry-After, each within `limitMs`. */
  judge(report: Report, what: string, from: number, to: number, limitMs: number): void {
    const asked = this.samples.filter(({ at }) => at >= from && at < to);
    const refused = asked.filter(({ status }) => status === 503);
    const slow = asked.filter(({ tookMs }) => report.tooLong([tookMs], limitMs) > 0);
    const odd = asked.filter((sample) => !isWell(sample) && !(sample.status === 503 && sample.retryAfter !== null));
    const times = refused.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    report.figure(
      `${what}: ${asked.length} asked, ${refused.length} × 503 after p50 ${ms(quantile(times, 0.5))}, at most ${ms(times.at(-1) ?? 0)}`,
    );
    report.must(slow.length === 0, `${what}: ${slow.length} answers took more than ${limitMs} ms, e.g. ${JSON.stringify(slow[0])}`);
    report.must(
      odd.length === 0,
      `${what}: ${odd.length} answers were neither right nor 503 with Retry-After, e.g. ${JSON.stringify(odd[0])}`,
    );
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      for (const question of this.#questions) {
        const asked: Promise<void> = this.#ask(question).then((sample) => {
          this.samples.push(sample);
          this.#open.delete(asked);
        });
        this.#open.add(asked);
      }
      await sleep(everyMs);
    }
  }

  #ask({ method, path }: Question): Promise<Sample> {
    const at = performance.now();
    return new Promise((resolve) => {
      const end = (status: number | null, retryAfter: string | null): void =>
        resolve({ path, at, tookMs: performance.now() - at, status, retryAfter });
      const asked = request(`${this.#url}/api/v1${path}`, {
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#token}` },
        signal: AbortSignal.timeout(timeoutMs),
      });
      asked.on('error', () => end(null, null));
      asked.on('response', (answer) => {
        answer.resume();
        answer.on('error', () => end(null, null));
        answer.on('end', () => end(answer.statusCode!, answer.headers['retry-after'] ?? null));
      });
      asked.end();
    });
  }
}

function isWell({ status }: Sample): boolean {
  return status !== null && status < 300;
}

/** For people. */
export function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
