import { createContext } from 'react';
import type { LiveForm } from '../live/follow.ts';

/**
 * Maximum number of streams. Each stream keeps a connection open, and browsers open only six to a
 * server.
 */
const maxStreams = 3;

/**
 * Which blocks of a report follow their experiment, and how: the first block of each experiment. It
 * also refreshes the other blocks of its experiment, because they share the data.
 */
export class LiveSlots {
  readonly #taken = new Map<string, LiveForm>();

  /** How a block should follow its experiment; null if another block does. */
  claim(experimentId: string): LiveForm | null {
    if (this.#taken.has(experimentId)) return null;
    const streams = [...this.#taken.values()].filter((form) => form === 'stream').length;
    const form = streams < maxStreams ? 'stream' : 'poll';
    this.#taken.set(experimentId, form);
    return form;
  }

  release(experimentId: string): void {
    this.#taken.delete(experimentId);
  }
}

export const LiveSlotsContext = createContext<LiveSlots | null>(null);
