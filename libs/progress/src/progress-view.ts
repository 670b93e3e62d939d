import type { Antichain } from './antichain.ts';
import type { Change } from './change-batch.ts';
import type { DataflowGraph } from './dataflow-graph.ts';
import { ProgressTracker } from './progress-tracker.ts';
import type { Timestamp } from './timestamp.ts';

/**
 * What one worker says of its part: the net changes of its counts since its last batch. Numbers of a worker rise by one from 1. A batch counts
 * as a whole or not at all.
 */
export interface ProgressBatch {
  readonly worker: string;
  readonly number: number;
  readonly changes: readonly Change[];
}

/** What a {@link ProgressView} can be saved as, in JSON. */
export interface SavedView {
  /** Number of the last batch of each worker that is counted. */
  readonly heard: Readonly<Record<string, number>>;
  readonly changes: readonly Change[];
}

/** A batch came before one that its worker sent earlier: whoever carries them has to keep their order (FIFO per worker). */
export class BatchGap extends Error {
  override readonly name = 'BatchGap';
}

/**
 * What one worker knows of everybody's progress: the sum of the batches that it has heard. Batches of one worker come in their order, those of
 * different workers in any. Its frontier is never ahead of the truth: an event that it has not heard of was caused by one that it still counts,
 * since its worker lets go of the cause in the same batch or later (Naiad, section 3.3; proof: Abadi et al., FORTE 2013).
 */
export class ProgressView {
  readonly #tracker: ProgressTracker;
  readonly #heard = new Map<string, number>();

  constructor(graph: DataflowGraph, saved?: SavedView) {
    this.#tracker = new ProgressTracker(graph, saved?.changes);
    for (const [worker, number] of Object.entries(saved?.heard ?? {})) this.#heard.set(worker, number);
  }

  /**
   * Counts a batch. False for one that was counted before: a batch may come again after a restart. Throws {@link BatchGap} when an earlier
   * one of its worker is missing; nothing is changed then.
   */
  hear(batch: ProgressBatch): boolean {
    const last = this.#heard.get(batch.worker) ?? 0;
    if (batch.number <= last) return false;
    if (batch.number !== last + 1) throw new BatchGap(`batch ${batch.number} of worker ${batch.worker} came after batch ${last}`);
    this.#tracker.apply(batch.changes);
    this.#heard.set(batch.worker, batch.number);
    return true;
  }

  /** Number of the last batch of a worker that is counted; 0 before its first. */
  heard(worker: string): number {
    return this.#heard.get(worker) ?? 0;
  }

  /** The times that may still occur at a location are beyond it. It may lag behind the truth, and never goes back. */
  frontier(location: number): Antichain {
    return this.#tracker.frontier(location);
  }

  /** Whether nothing outstanding can lead to this pointstamp any more, itself aside: a notification for it may be delivered. */
  isFirst(location: number, time: Timestamp): boolean {
    return this.#tracker.isFirst(location, time);
  }

  get isComplete(): boolean {
    return this.#tracker.isComplete;
  }

  save(): SavedView {
    return { heard: Object.fromEntries(this.#heard), changes: this.#tracker.changes() };
  }
}
