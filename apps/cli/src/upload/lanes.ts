/** How many connections an upload uses. */
export interface LaneCount {
  /** Never more than this. */
  readonly max: number;
  /** The number to use now. */
  readonly now: number;
  /** Encoded bytes that the server acknowledged. */
  acknowledged(bytes: number): void;
  /** A connection had nothing to send, so the current measurement is invalid. */
  idle(): void;
}

/** A constant number of connections. */
export function fixedLanes(count: number): LaneCount {
  return { max: count, now: count, acknowledged: () => undefined, idle: () => undefined };
}

/** Enough connections for the files and most links. */
const first = 4;
/** Eight connections saturated a link; one connection used a sixth of it (seed 002). */
const max = 8;
const step = 4;
/** Minimum duration of a measurement. */
const windowMs = 500;
/** More connections are kept only if they increase the rate by at least this factor. */
const worthwhile = 1.1;
/** Measurements until more connections are tried again. */
const restWindows = 20;

/**
 * Finds out during the upload how many connections the link needs, because a link may limit the
 * rate of each connection. Tries four more connections and keeps them if the acknowledged rate
 * rises by at least a tenth.
 */
export class MeasuredLanes implements LaneCount {
  readonly max = max;
  readonly #now: () => number;
  #lanes = first;
  /** The rate with fewer connections; null if no trial is running. */
  #before: number | null = null;
  #rest = 0;
  /**
   * Acknowledgements that do not count, because their requests started before the number changed.
   */
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
