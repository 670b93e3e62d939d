/**
 * Records that this process attempts work, whatever the result: a sign that its claim loop is
 * alive.
 */
export class IngestActivity {
  readonly #now: () => number;
  readonly #running = new Set<{ readonly since: number }>();
  #triedAt: number;

  /** `now` returns milliseconds on a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#triedAt = now();
  }

  /** Milliseconds since the last job; 0 while a job is running. */
  get silentMs(): number {
    return this.#running.size > 0 ? 0 : this.#now() - this.#triedAt;
  }

  /** How long the longest-running job has been running, in milliseconds. */
  get longestMs(): number {
    return Math.max(0, ...[...this.#running].map(({ since }) => this.#now() - since));
  }

  /** Runs a job and records it. */
  async note<T>(work: () => Promise<T>): Promise<T> {
    const job = { since: this.#now() };
    this.#running.add(job);
    try {
      return await work();
    } finally {
      this.#running.delete(job);
      this.#triedAt = this.#now();
    }
  }
}
