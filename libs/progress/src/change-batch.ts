import { timeText, type Timestamp } from './timestamp.ts';

/**
 * A change in the number of events at a pointstamp, which is a time and a location in the graph.
 */
export interface Change {
  readonly location: number;
  readonly time: Timestamp;
  readonly diff: number;
}

/**
 * Accumulates changes in occurrence counts before they are sent. Changes that cancel out are never
 * sent, because other workers need not know about a message that was sent and received between two
 * flushes.
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

  /** The net changes, omitting those that canceled out. Does not change the batch. */
  changes(): Change[] {
    return [...this.#changes.values()].map((change) => ({ ...change }));
  }

  /** Like {@link changes}, but empties the batch. */
  drain(): Change[] {
    const changes = this.changes();
    this.#changes.clear();
    return changes;
  }
}
