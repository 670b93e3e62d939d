const KiB = 1024;

const firstBytes = 256 * KiB;
/** A request should take about this long: a cut connection then costs little, and progress is seen. */
const targetMs = 1_000;
/** Where that would be less than this, as on a slow line, a request may take longer: each costs the service a commit … */
const thriftyBytes = 256 * KiB;
/** … but not longer than this, and not for less than `minBytes`. */
const longestMs = 4_000;
const minBytes = 16 * KiB;

/**
 * How large the next range of an upload should be: about a second's worth of what a connection carries, on a slow line four seconds' worth. What a
 * broken connection costs is bounded by that: the service keeps every range that it has acknowledged, and nothing of one that was cut.
 */
export class Pace {
  readonly #maxBytes: number;
  #bytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytes = Math.min(firstBytes, maxBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A range of `bytes` was acknowledged after `ms`. Short ranges say little about the line and can only speed up. */
  measured(bytes: number, ms: number): void {
    const rate = bytes / Math.max(ms, 1);
    const affordable = Math.max(rate * targetMs, Math.min(rate * longestMs, thriftyBytes));
    if (bytes < this.#bytes / 2 && affordable < this.#bytes) return;
    this.#set(affordable);
  }

  /** Could a range of `bytes` be sent in smaller ones? */
  canCut(bytes: number): boolean {
    return bytes > minBytes;
  }

  /** A range of `bytes` did not arrive for its size: ranges are smaller from now on. */
  cut(bytes: number): void {
    this.#set(Math.min(this.#bytes, bytes) / 4);
  }

  #set(bytes: number): void {
    this.#bytes = Math.round(Math.min(this.#maxBytes, Math.max(minBytes, bytes)));
  }
}
