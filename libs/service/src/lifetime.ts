/** Everything that a process has started. It is stopped in reverse order. */
export class Lifetime {
  readonly #stops: (() => Promise<void>)[] = [];
  #stopping: Promise<void> | null = null;

  /** Adds a function that stops the part that was just started. */
  onStop(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /**
   * Stops everything; a failure does not prevent the rest from stopping. Idempotent. Throws an
   * AggregateError with all failures.
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stopAll());
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.toReversed()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the service did not stop cleanly');
  }
}
