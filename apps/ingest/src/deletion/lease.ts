/**
 * Keeps a lease while its holder works: by the clock, and not by steps, since one step may take longer than the lease. A process that stands still
 * does not renew it.
 */
export class Lease {
  readonly #timer: NodeJS.Timeout;
  #renewal: Promise<void> = Promise.resolve();

  constructor(leaseMs: number, renew: () => Promise<void>) {
    this.#timer = setInterval(() => {
      this.#renewal = renew().catch(() => undefined); // it runs out then, and somebody else goes on
    }, leaseMs / 3);
  }

  /** Renews it no more; resolves when nothing of it is under way. May be called more than once. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
  }
}
