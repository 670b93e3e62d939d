const firstBytes = 1024 * 1024;
const minBytes = 256 * 1024;
/** A request should take about this long: a cut connection then costs little, and on a slow line progress is seen. */
const targetMs = 1000;

/** How large the next range of an upload should be: about a second's worth of what a connection carries, between 256 KiB and `maxBytes`. */
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

  /** A range of `bytes` took `ms`, failed attempts included. Short ranges say little about the line and can only speed up. */
  measured(bytes: number, ms: number): void {
    const affordable = (bytes / Math.max(ms, 1)) * targetMs;
    if (bytes < minBytes && affordable < this.#bytes) return;
    this.#bytes = Math.round(Math.min(this.#maxBytes, Math.max(minBytes, affordable)));
  }
}
