import { createContext } from 'react';

/** Each followed experiment keeps a connection open, and browsers open only six to a server. */
const maxFollowed = 3;

/**
 * Which blocks of a report follow their experiment: the first block of each of the first
 * experiments. It also refreshes the other blocks of its experiment, because they share the data.
 */
export class LiveSlots {
  readonly #taken = new Set<string>();

  /** Whether a block should follow its experiment. */
  claim(experimentId: string): boolean {
    if (this.#taken.has(experimentId) || this.#taken.size >= maxFollowed) return false;
    this.#taken.add(experimentId);
    return true;
  }

  release(experimentId: string): void {
    this.#taken.delete(experimentId);
  }
}

export const LiveSlotsContext = createContext<LiveSlots | null>(null);
