import { Health } from '#http';
import { ping, type Store } from '#store';
import type { IngestActivity } from './ingest-activity.ts';
import type { PendingWatch } from './pending-watch.ts';

/** What {@link IngestHealth} reads. */
export interface IngestSigns {
  readonly store: Store;
  readonly pending: Pick<PendingWatch, 'latest' | 'stalledMs' | 'look'>;
  readonly activity: Pick<IngestActivity, 'silentMs' | 'longestMs'>;
  /** How long pending work may go without progress. */
  readonly maxStallMs: number;
}

/**
 * Maximum duration of a job, in milliseconds. A job is a transaction of some megabytes, and every
 * step in it has a timeout.
 */
const maxJobMs = 600_000;

/**
 * A process is ready if pending work makes progress. A process that settles nothing is not ready,
 * even if all of its sockets are open. A process should be restarted if its claim loop is silent
 * although work is pending: with or without the queue, a working loop would find the work (see
 * docs/adr/0028-ingest-without-redis.md).
 */
export class IngestHealth extends Health {
  readonly #signs: IngestSigns;

  constructor(signs: IngestSigns) {
    super();
    this.#signs = signs;
  }

  override async whyNotReady(): Promise<string | null> {
    const { store, pending, maxStallMs } = this.#signs;
    await ping(store.global);
    if (pending.stalledMs <= maxStallMs) return null;
    await pending.look(); // there may be progress since the last check
    if (pending.stalledMs <= maxStallMs) return null;
    const { segments = 0, bytes = 0 } = pending.latest ?? {};
    return `Nothing was ingested for ${seconds(pending.stalledMs)} s, and ${segments} segments with ${bytes} bytes are pending.`;
  }

  override async whyDead(): Promise<string | null> {
    const { pending, activity, maxStallMs } = this.#signs;
    if (activity.longestMs > maxJobMs) return `A job has been running for ${seconds(activity.longestMs)} s.`;
    const { silentMs } = activity;
    if (pending.stalledMs <= maxStallMs || silentMs <= 2 * maxStallMs) return null;
    await pending.look(); // there may be progress since the last check
    if (pending.stalledMs <= maxStallMs) return null;
    return `Work is pending, and this process has claimed none for ${seconds(silentMs)} s.`;
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
