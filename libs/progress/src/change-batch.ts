import { timeText, type Timestamp } from './timestamp.ts';

/** So many more (or fewer) events at a pointstamp: a time and a location of the graph. */
export interface Change {
  readonly location: number;
  readonly time: Timestamp;
  readonly diff: number;
}

/**
 * Changes of occurrence counts that are gathered before they are sent. What cancels out is never sent: a message that was sent and received
 * between two flushes says nothing to anybody else.
 */
export class ChangeBatch {
  readonly #changes = new Map<string, { readonly location: number; readonly time: Timestamp; diff: number }>();

  add(location: number, time: Timestamp, diff: number): void {
    const key = `${location}@${timeText(time)}`;
    const known = this.#changes.get(key);
    if (!known) {
      if (diff !== 0) this.#changes.set(key, { location, time, diff });
      return;
    }
    known.diff += diff;
    if (known.diff === 0) this.#changes.delete(key);
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /** The net changes, without what cancelled out; the batch stays as it is. */
  changes(): Change[] {
    return [...this.#changes.values()].map((change) => ({ ...change }));
  }

  /** As {@link changes}, and the batch is empty afterwards. */
  drain(): Change[] {
    const changes = this.changes();
    this.#changes.clear();
    return changes;
  }
}
