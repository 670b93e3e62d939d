import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AckEntry } from '../ack-log.ts';
import { ms } from '../scenario.ts';
import { quantile } from '../visibility.ts';
import type { Report } from './report.ts';

export { ms };

/** A request, as its client sees it. */
export interface Sample {
  readonly path: string;
  /** When it was sent, in the units of performance.now(). */
  readonly at: number;
  readonly tookMs: number;
  /** Null if the connection failed, or there was no response for ten seconds. */
  readonly status: number | null;
  readonly retryAfter: string | null;
}

/** A request to repeat. */
export interface Question {
  readonly method: string;
  readonly path: string;
}

/** The duration of a fault. */
interface Window {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly limitMs: number;
  readonly mustReject: MustReject;
}

/**
 * Requests that must have been rejected, to show that the fault had an effect: an append if all
 * connections fail, any request if only some fail, and none if the fault may have no effect.
 */
export type MustReject = 'an append' | 'a request' | 'nothing';

const everyMs = 100;
const timeoutMs = 10_000;

/**
 * Sends the same requests ten times a second, without waiting for earlier requests, and records the
 * responses with their times.
 */
export class Prober {
  readonly samples: Sample[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #questions: readonly Question[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #open = new Set<Promise<void>>();
  readonly #windows: Window[] = [];
  #stopped = false;
  #loop: Promise<void>;

  constructor(url: string, token: string, questions: readonly Question[]) {
    this.#url = url;
    this.#token = token;
    this.#questions = questions;
    this.#loop = this.#run();
  }

  /** Stops sending; resolves when all responses have arrived. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#open);
    this.#agent.destroy();
  }

  /**
   * Returns the milliseconds from `since` (in units of performance.now()) until each request has
   * succeeded; NaN if a request has not succeeded within `timeLimitMs`.
   */
  async wellAfter(since: number, timeLimitMs = 60_000): Promise<number> {
    for (const until = performance.now() + timeLimitMs; performance.now() < until; await sleep(20)) {
      const first = this.#questions.map(({ path }) =>
        this.samples.find((sample) => sample.path === path && sample.at >= since && isWell(sample)),
      );
      if (first.every((sample) => sample !== undefined)) return Math.max(...first.map((sample) => sample.at + sample.tookMs - since));
    }
    return NaN;
  }

  /**
   * Records the time of a fault (in units of performance.now()). At the end, {@link checkAll}
   * checks the requests sent during that time.
   */
  judge(what: string, from: number, to: number, limitMs: number, options: { readonly mustReject?: MustReject } = {}): void {
    this.#windows.push({ what, from, to, limitMs, mustReject: options.mustReject ?? 'nothing' });
  }

  /**
   * Checks, for each recorded fault, the responses to its requests and to the clients' appends:
   * success, or 503 with Retry-After, within the time limit. Appends can also get a 409 with an
   * offset. All requests must have ended.
   */
  checkAll(report: Report, appends: readonly AckEntry[]): void {
    for (const window of this.#windows) {
      const { what, from, to, limitMs } = window;
      const questions = this.samples.filter(({ at }) => at >= from && at < to);
      checkResponses(report, `${what}, questions`, questions, limitMs);
      checkAppends(report, window, appends, questions);
    }
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
      asked.on('response', (response) => {
        response.resume();
        response.on('error', () => end(null, null));
        response.on('end', () => end(response.statusCode!, response.headers['retry-after'] ?? null));
      });
      asked.end();
    });
  }
}

function isWell({ status }: Sample): boolean {
  return status !== null && status < 300;
}

/** Converts an append to a sample; a 409 with the correct offset counts as success. */
function sampleOf({ fileId, sentAt, tookMs, status, retryAfter }: AckEntry): Sample {
  const known = typeof status === 'number' ? status : null;
  return { path: `/files/${fileId}`, at: sentAt, tookMs, status: known === 409 ? 204 : known, retryAfter };
}

/**
 * Checks that the appends that were sent during a fault and have ended were accepted, redirected to
 * an offset, or rejected with 503 and Retry-After, within the time limit.
 */
export function checkAppends(
  report: Report,
  { what, from, to, limitMs, mustReject }: Window,
  appends: readonly AckEntry[],
  questions: readonly Sample[] = [],
): void {
  const sent = appends.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(sampleOf);
  checkResponses(report, `${what}, appends`, sent, limitMs);
  const asked = { 'an append': sent, 'a request': [...sent, ...questions], nothing: null }[mustReject];
  const felt = asked === null || asked.some(({ status }) => status === 503);
  report.must(felt, `${what}: ${mustReject} should have been refused, and none was`);
}

function checkResponses(report: Report, what: string, asked: readonly Sample[], limitMs: number): void {
  const rejected = asked.filter(({ status }) => status === 503);
  const slow = asked.filter(({ tookMs }) => report.tooLong([tookMs], limitMs) > 0);
  const odd = asked.filter((sample) => !isWell(sample) && !(sample.status === 503 && sample.retryAfter !== null));
  const times = rejected.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const longest = Math.max(...asked.map(({ tookMs }) => tookMs));
  const took = rejected.length === 0 ? '' : ` after p50 ${ms(quantile(times, 0.5))}, at most ${ms(times.at(-1)!)}`;
  report.figure(
    `${what}: ${asked.length} sent, ${rejected.length} × 503${took}${asked.length === 0 ? '' : `; longest answer ${ms(longest)}`}`,
  );
  report.must(asked.length > 0, `${what}: none was sent`);
  report.must(slow.length === 0, `${what}: ${slow.length} answers took more than ${limitMs} ms, e.g. ${JSON.stringify(slow[0])}`);
  report.must(
    odd.length === 0,
    `${what}: ${odd.length} answers were neither right nor 503 with Retry-After, e.g. ${JSON.stringify(odd[0])}`,
  );
}
