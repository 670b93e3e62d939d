/**
 * Renews a lease while its holder works. A timer renews it, not the steps of the work, because one
 * step may take longer than the lease. A stalled process does not renew its lease.
 */
export class Lease {
  readonly #timer: NodeJS.Timeout;
  #renewal: Promise<void> = Promise.resolve();

  constructor(leaseMs: number, renew: () => Promise<void>) {
    this.#timer = setInterval(() => {
      this.#renewal = renew().catch(() => undefined); // the lease then expires, and another worker continues
    }, leaseMs / 3);
  }

  /** Stops renewing. Resolves when no renewal is in progress. Idempotent. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
  }
}
