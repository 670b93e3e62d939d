/** How many connections an upload uses. */
export interface LaneCount {
  /** Never more than this. */
  readonly max: number;
  /** The number to use now. */
  readonly now: number;
  /** Encoded bytes that the server acknowledged. */
  acknowledged(bytes: number): void;
  /** A connection had nothing to send: what was measured since the last decision says nothing. */
  idle(): void;
}

/** The same number of connections all the time. */
export function fixedLanes(count: number): LaneCount {
  return { max: count, now: count, acknowledged: () => undefined, idle: () => undefined };
}

/** As many as the files and the bandwidth of most links can use. */
const first = 4;
/** Eight connections filled a link of which one filled a sixth (seed 002). */
const max = 8;
const step = 4;
/** The shortest time of one measurement. */
const windowMs = 500;
/** More connections stay only if they gave at least this much more. */
const worthwhile = 1.1;
/** Measurements until more connections are tried again. */
const restWindows = 20;

/**
 * Finds out while sending how many connections the link needs: a link may give each connection a
 * part of its rate only. It tries four more, and keeps them if bytes are then acknowledged at least
 * a tenth faster.
 */
export class MeasuredLanes implements LaneCount {
  readonly max = max;
  readonly #now: () => number;
  #lanes = first;
  /** The rate with fewer connections; null: no more are on trial. */
  #before: number | null = null;
  #rest = 0;
  /** Acknowledgements of requests that began before the number changed, which do not count. */
  #skip = first;
  #start: number | null = null;
  #bytes = 0;
  #requests = 0;

  /** `now`: a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get now(): number {
    return this.#lanes;
  }

  acknowledged(bytes: number): void {
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    const now = this.#now();
    if (this.#start === null) {
      this.#start = now;
      return;
    }
    this.#bytes += bytes;
    this.#requests++;
    if (now - this.#start < windowMs || this.#requests < 2 * this.#lanes) return;
    const rate = this.#bytes / (now - this.#start);
    this.#measureFrom(now);
    this.#decide(rate);
  }

  idle(): void {
    this.#measureFrom(null);
  }

  #measureFrom(start: number | null): void {
    this.#start = start;
    this.#bytes = 0;
    this.#requests = 0;
  }

  #decide(rate: number): void {
    if (this.#before !== null && rate < this.#before * worthwhile) {
      this.#before = null;
      this.#rest = restWindows;
      this.#set(this.#lanes - step);
      return;
    }
    if (this.#rest > 0) {
      this.#rest--;
      return;
    }
    this.#before = this.#lanes < max ? rate : null;
    this.#set(Math.min(max, this.#lanes + step));
  }

  #set(lanes: number): void {
    if (lanes === this.#lanes) return;
    this.#skip = this.#lanes;
    this.#lanes = lanes;
    this.#measureFrom(null);
  }
}
