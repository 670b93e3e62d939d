/**
 * Renews a lease while its holder works: by a timer, not between steps, since one step may take
 * longer than the lease. A stalled process does not renew it.
 */
export class Lease {
  readonly #timer: NodeJS.Timeout;
  #renewal: Promise<void> = Promise.resolve();

  constructor(leaseMs: number, renew: () => Promise<void>) {
    this.#timer = setInterval(() => {
      this.#renewal = renew().catch(() => undefined); // it expires then, and another worker continues
    }, leaseMs / 3);
  }

  /** Stops renewing; resolves when no renewal is in progress. Idempotent. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
  }
}
