import type { Antichain } from './antichain.ts';
import type { Change } from './change-batch.ts';
import type { DataflowGraph } from './dataflow-graph.ts';
import { ProgressTracker } from './progress-tracker.ts';
import type { Timestamp } from './timestamp.ts';

/**
 * One worker's progress: the net changes of its counts since its last batch. A worker's batches are
 * numbered from 1. A batch is applied as a whole or not at all.
 */
export interface ProgressBatch {
  readonly worker: string;
  readonly number: number;
  readonly changes: readonly Change[];
}

/** The saved form of a {@link ProgressView}, as JSON. */
export interface SavedView {
  /** The number of each worker's last applied batch. */
  readonly heard: Readonly<Record<string, number>>;
  readonly changes: readonly Change[];
}

/**
 * Thrown if a batch arrived before an earlier batch of the same worker. The transport must keep
 * their order (FIFO per worker).
 */
export class BatchGap extends Error {
  override readonly name = 'BatchGap';
}

/**
 * One worker's view of global progress: the sum of the batches that it has received. One worker's
 * batches come in order, but those of different workers come in any order. Its frontier is never
 * too far ahead: the cause of an unseen event is still counted, because its worker releases the
 * cause in the same batch or later (Naiad, section 3.3; proof: Abadi et al., FORTE 2013).
 */
export class ProgressView {
  readonly #tracker: ProgressTracker;
  readonly #heard = new Map<string, number>();

  constructor(graph: DataflowGraph, saved?: SavedView) {
    this.#tracker = new ProgressTracker(graph, saved?.changes);
    for (const [worker, number] of Object.entries(saved?.heard ?? {})) this.#heard.set(worker, number);
  }

  /**
   * Applies a batch. Returns false if it was applied before, because a batch may be repeated after
   * a restart. If an earlier batch of its worker is missing, throws {@link BatchGap} and changes
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

  /** Number of a worker's last applied batch. 0 before its first batch. */
  heard(worker: string): number {
    return this.#heard.get(worker) ?? 0;
  }

  /**
   * The times that may still occur at a location are beyond this frontier. It may lag behind, but
   * never goes back.
   */
  frontier(location: number): Antichain {
    return this.#tracker.frontier(location);
  }

  /**
   * Whether nothing else outstanding can lead to this pointstamp. If so, a notification for it may
   * be delivered.
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
