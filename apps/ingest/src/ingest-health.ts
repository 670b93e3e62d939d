import { Health } from '#http';
import { ping, type Store } from '#store';
import type { IngestActivity } from './ingest-activity.ts';
import type { PendingWatch } from './pending-watch.ts';

/** What {@link IngestHealth} looks at. */
export interface IngestSigns {
  readonly store: Store;
  readonly pending: Pick<PendingWatch, 'latest' | 'stalledMs' | 'look'>;
  readonly activity: Pick<IngestActivity, 'silentMs' | 'longestMs'>;
  /** How long work may be there that nobody does. */
  readonly maxStallMs: number;
  /** Whether jobs can be had at all; without it, a silent process is not at fault. */
  readonly isQueueReachable: () => Promise<boolean>;
}

/** One job is a transaction of some megabytes, and everything in it has a deadline. */
const maxJobMs = 600_000;

/**
 * Ready is who moves what is pending: a process with all its sockets open that settles nothing is not. And a process whose claim loop is silent
 * though there is work and the queue answers is better started anew.
 */
export class IngestHealth extends Health {
  readonly #signs: IngestSigns;
  /** When the queue was last found away: until then there was nothing to take. */
  #queueAwayAt = -Infinity;

  constructor(signs: IngestSigns) {
    super();
    this.#signs = signs;
  }

  override async whyNotReady(): Promise<string | null> {
    const { store, pending, maxStallMs } = this.#signs;
    await ping(store.global);
    if (pending.stalledMs <= maxStallMs) return null;
    await pending.look(); // it may move again since the last time
    if (pending.stalledMs <= maxStallMs) return null;
    const { segments = 0, bytes = 0 } = pending.latest ?? {};
    return `Nothing was ingested for ${seconds(pending.stalledMs)} s, and ${segments} segments with ${bytes} bytes are pending.`;
  }

  override async whyDead(): Promise<string | null> {
    const { pending, activity, maxStallMs, isQueueReachable } = this.#signs;
    if (activity.longestMs > maxJobMs) return `A job has been running for ${seconds(activity.longestMs)} s.`;
    const silentMs = Math.min(activity.silentMs, performance.now() - this.#queueAwayAt);
    if (pending.stalledMs <= maxStallMs || silentMs <= 2 * maxStallMs) return null;
    await pending.look(); // it may move again since the last time
    if (pending.stalledMs <= maxStallMs) return null;
    if (await isQueueReachable()) return `There is work, and this process has taken none for ${seconds(silentMs)} s.`;
    this.#queueAwayAt = performance.now();
    return null;
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
