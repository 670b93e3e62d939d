const KiB = 1024;

const firstBytes = 256 * KiB;
/**
 * Target duration of a request: short enough that a cut connection costs little and progress is
 * visible.
 */
const targetMs = 1_000;
/**
 * On a slow connection, a request may take longer if a range would otherwise be smaller than this,
 * because each request costs the service a commit.
 */
const thriftyBytes = 256 * KiB;
/** Maximum target duration on a slow connection. Ranges are at least `minBytes` long. */
const longestMs = 4_000;
const minBytes = 16 * KiB;

/**
 * Chooses the size of the next range of an upload: about one second of the connection's throughput,
 * or four seconds on a slow connection. This limits the cost of a broken connection: the service
 * keeps every acknowledged range, but nothing of a range that was cut.
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

  /**
   * A range of `bytes` was acknowledged after `ms`. Short ranges say little about the connection
   * and can only increase the size.
   */
  measured(bytes: number, ms: number): void {
    const rate = bytes / Math.max(ms, 1);
    const affordable = Math.max(rate * targetMs, Math.min(rate * longestMs, thriftyBytes));
    if (bytes < this.#bytes / 2 && affordable < this.#bytes) return;
    this.#set(affordable);
  }

  /** Whether a range of `bytes` could be split. */
  canCut(bytes: number): boolean {
    return bytes > minBytes;
  }

  /** A range of `bytes` did not arrive completely: later ranges are smaller. */
  cut(bytes: number): void {
    this.#set(Math.min(this.#bytes, bytes) / 4);
  }

  #set(bytes: number): void {
    this.#bytes = Math.round(Math.min(this.#maxBytes, Math.max(minBytes, bytes)));
  }
}
