/** Everything that a process has started, so that it ends in the reverse order, whenever that is. */
export class Lifetime {
  readonly #stops: (() => Promise<void>)[] = [];
  #stopping: Promise<void> | null = null;

  /** Notes how to undo what was just started. */
  onStop(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Stops all of it; a failure does not keep the rest from stopping. May be called more than once. Throws an AggregateError of all failures. */
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
