/** What this process tries, whatever comes of it: the sign that its claim loop is alive. */
export class IngestActivity {
  readonly #now: () => number;
  readonly #running = new Set<{ readonly since: number }>();
  #triedAt: number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#triedAt = now();
  }

  /** For how long no job was taken, in milliseconds; 0 while one runs. */
  get silentMs(): number {
    return this.#running.size > 0 ? 0 : this.#now() - this.#triedAt;
  }

  /** For how long the job has been running that runs longest, in milliseconds. */
  get longestMs(): number {
    return Math.max(0, ...[...this.#running].map(({ since }) => this.#now() - since));
  }

  /** Does a job, and notes that. */
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
