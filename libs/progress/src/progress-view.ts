import type { Antichain } from './antichain.ts';
import type { Change } from './change-batch.ts';
import type { DataflowGraph } from './dataflow-graph.ts';
import { ProgressTracker } from './progress-tracker.ts';
import type { Timestamp } from './timestamp.ts';

/**
 * The progress of one worker: the net changes of its counts since its last batch. Numbers of a
 * worker rise by one from 1. A batch is applied as a whole or not at all.
 */
export interface ProgressBatch {
  readonly worker: string;
  readonly number: number;
  readonly changes: readonly Change[];
}

/** The saved form of a {@link ProgressView}, in JSON. */
export interface SavedView {
  /** Number of the last applied batch of each worker. */
  readonly heard: Readonly<Record<string, number>>;
  readonly changes: readonly Change[];
}

/**
 * Thrown if a batch arrived before an earlier one of its worker: the transport must keep their
 * order (FIFO per worker).
 */
export class BatchGap extends Error {
  override readonly name = 'BatchGap';
}

/**
 * One worker's view of global progress: the sum of the batches that it has received. Batches of one
 * worker come in order, those of different workers in any order. Its frontier is never too far
 * ahead: the cause of an unseen event is still counted, because its worker releases the cause in
 * the same batch or later (Naiad, section 3.3; proof: Abadi et al., FORTE 2013).
 */
export class ProgressView {
  readonly #tracker: ProgressTracker;
  readonly #heard = new Map<string, number>();

  constructor(graph: DataflowGraph, saved?: SavedView) {
    this.#tracker = new ProgressTracker(graph, saved?.changes);
    for (const [worker, number] of Object.entries(saved?.heard ?? {})) this.#heard.set(worker, number);
  }

  /**
   * Applies a batch. Returns false if it was applied before: a batch may be repeated after a
   * restart. Throws {@link BatchGap} if an earlier one of its worker is missing, and changes
   * nothing.
   */
  hear(batch: ProgressBatch): boolean {
    const last = this.#heard.get(batch.worker) ?? 0;
    if (batch.number <= last) return false;
    if (batch.number !== last + 1) throw new BatchGap(`batch ${batch.number} of worker ${batch.worker} came after batch ${last}`);
    this.#tracker.apply(batch.changes);
    this.#heard.set(batch.worker, batch.number);
    return true;
  }

  /** Number of the last applied batch of a worker; 0 before its first. */
  heard(worker: string): number {
    return this.#heard.get(worker) ?? 0;
  }

  /**
   * The times that may still occur at a location are beyond it. It may lag behind, but never goes
   * back.
   */
  frontier(location: number): Antichain {
    return this.#tracker.frontier(location);
  }

  /**
   * Whether nothing else outstanding can lead to this pointstamp: a notification for it may be
   * delivered.
   */
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
