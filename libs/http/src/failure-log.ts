import { Logger } from '@nestjs/common';
import type { Problem } from '#model';
import { httpProblems } from './problem-status.ts';

/** A request or call that ended with an error. */
export interface Failure {
  readonly requestId: string;
  /** The method of an HTTP request; undefined for gRPC. */
  readonly method?: string;
  /** Route pattern, or path of the gRPC method; `none` if nothing matched. */
  readonly route: string;
  /** HTTP status, or name of the gRPC status. */
  readonly status: number | string;
  /** Milliseconds from the start of the request to the end of the response. */
  readonly durationMs: number;
  /** Null if the response has an error status but did not come from a problem. */
  readonly problem: Problem | null;
  /** The request's path, without a link's secret. Written only for service errors. */
  readonly path?: string;
  /** Whether the response had started and was cut off. */
  readonly partial?: boolean;
}

/** Maximum number of service errors that are logged per second. A guess: about 100 kB. */
const maxPerSecond = 200;

/**
 * Writes one line for each request that failed: service errors (5xx) as `warn`, internal errors as
 * `error` with their cause, rejected requests as `debug`. The line has the request id that the
 * client received. It never contains a body, a query or a header; the detail of a rejection can
 * repeat a part of the request, so it is omitted.
 */
export class FailureLog {
  readonly #log: Pick<Logger, 'error' | 'warn' | 'debug'>;
  readonly #now: () => number;
  #second = -1;
  #written = 0;
  #leftOut = 0;

  /** `log`: receives each line as an object; `now`: milliseconds of a monotonic clock. */
  constructor(log: Pick<Logger, 'error' | 'warn' | 'debug'>, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Writes the line. After 200 service errors in a second, only counts further errors. */
  write(failure: Failure): void {
    const { problem, status } = failure;
    const severity = problem ? httpProblems[problem.code].status : Number(status);
    const line = {
      message: severity < 500 ? 'A request was rejected.' : 'A request failed.',
      request_id: failure.requestId,
      ...(failure.method === undefined ? {} : { method: failure.method }),
      route: failure.route,
      status,
      code: problem?.code ?? null,
      duration_ms: Math.round(failure.durationMs),
    };
    if (severity < 500) {
      this.#log.debug(line);
      return;
    }
    if (!this.#mayWrite()) return;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    const full = {
      ...line,
      ...(failure.path === undefined ? {} : { path: failure.path }),
      ...(failure.partial ? { partial: true } : {}),
      ...(problem ? { detail: problem.message } : {}),
      ...(problem?.cause === undefined ? {} : { err: problem.cause }),
      ...(leftOut === 0 ? {} : { left_out: leftOut }),
    };
    if (severity === 500) this.#log.error(full);
    else this.#log.warn(full);
  }

  #mayWrite(): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#written = 0;
    }
    if (this.#written < maxPerSecond) return ++this.#written > 0;
    this.#leftOut++;
    return false;
  }
}
