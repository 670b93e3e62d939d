import { Antichain } from './antichain.ts';
import type { Change } from './change-batch.ts';
import type { DataflowGraph } from './dataflow-graph.ts';
import { EpochCounts } from './epoch-counts.ts';
import { applySummary } from './path-summary.ts';
import { compareCounters, type Timestamp } from './timestamp.ts';

/**
 * The events of one location whose times have the same counters. Its smallest epoch represents all
 * of them, because later epochs always come after it. So precursors are counted only between
 * smallest pointstamps. There are few of them, regardless of how many epochs are open.
 */
interface Lane {
  readonly location: number;
  readonly counters: readonly number[];
  readonly counts: EpochCounts;
  /**
   * The smallest pointstamp when precursors were last counted. Null if the lane was not active
   * then.
   */
  first: Timestamp | null;
  /**
   * Precursor count of `first`: how many smallest pointstamps of other lanes could result in it.
   */
  precursors: number;
}

/**
 * Occurrence and precursor counts (Naiad, section 2.3). The occurrence count of a pointstamp (time,
 * location) is the number of events outstanding there. A pointstamp is active while its occurrence
 * count is above zero. Its precursor count is the number of other active pointstamps that could
 * result in it. Active pointstamps without precursors form the frontier: only for them is it
 * certain that nothing earlier can arrive.
 *
 * Changes from several workers may arrive in any order, so a count may be temporarily negative.
 * Such a pointstamp is not active.
 *
 * ```ts
 * import { GraphBuilder } from './dataflow-graph.ts';
 * import { timestamp } from './timestamp.ts';
 *
 * const builder = new GraphBuilder();
 * const [read, write] = [builder.vertex('read'), builder.vertex('write')];
 * builder.edge(read, write);
 * const tracker = new ProgressTracker(builder.build());
 * tracker.update(read, timestamp(3), 1); // one event to read in epoch 3,
 * tracker.update(write, timestamp(2), 2); // two to write in epoch 2
 * assert.equal(String(tracker.frontier(write)), '{2}');
 * tracker.update(write, timestamp(2), -2);
 * assert.equal(String(tracker.frontier(write)), '{3}'); // what is read may still arrive
 * ```
 */
export class ProgressTracker {
  readonly graph: DataflowGraph;
  /** Per location, by counters. */
  readonly #lanes: Lane[][];
  /** Lanes that have a `first`. */
  readonly #active: Lane[] = [];

  constructor(graph: DataflowGraph, changes: Iterable<Change> = []) {
    this.graph = graph;
    this.#lanes = graph.locations.map(() => []);
    for (const { location, time, diff } of changes) this.update(location, time, diff);
  }

  /**
   * Adds `diff` events at a pointstamp. Throws RangeError if the time is invalid for the location.
   */
  update(location: number, time: Timestamp, diff: number): void {
    const lane = this.#lane(location, time);
    lane.counts.add(time.epoch, diff);
    const min = lane.counts.min;
    if (min !== (lane.first?.epoch ?? Infinity)) this.#move(lane, min);
    if (lane.counts.isEmpty && lane.counters.length > 0) this.#forget(lane);
  }

  /** Applies several related changes without reading a frontier in between. */
  apply(changes: Iterable<Change>): void {
    for (const { location, time, diff } of changes) this.update(location, time, diff);
  }

  /** A pointstamp's occurrence count. */
  occurrences(location: number, time: Timestamp): number {
    return this.#find(location, time)?.counts.count(time.epoch) ?? 0;
  }

  /**
   * Whether an active pointstamp is in the frontier, i.e. no other pointstamp could result in it.
   */
  isFirst(location: number, time: Timestamp): boolean {
    const lane = this.#find(location, time);
    return lane !== undefined && lane.first?.epoch === time.epoch && lane.precursors === 0;
  }

  /** Active pointstamps without precursors, in no particular order. */
  firsts(): { readonly location: number; readonly time: Timestamp }[] {
    return this.#active.filter(({ precursors }) => precursors === 0).map(({ location, first }) => ({ location, time: first! }));
  }

  /**
   * The frontier of times that can still occur at a location: all of them are beyond it. It never
   * decreases.
   */
  frontier(location: number): Antichain {
    const frontier = new Antichain();
    for (const { location: from, first, precursors } of this.#active) {
      if (precursors > 0) continue; // its precursor also leads to what it leads to
      for (const summary of this.graph.summaries(from, location)) frontier.insert(applySummary(summary, first!));
    }
    return frontier;
  }

  /** Nothing is outstanding anywhere. */
  get isComplete(): boolean {
    return this.#active.length === 0;
  }

  /** All nonzero counts. Another tracker of this graph that starts with them has the same state. */
  changes(): Change[] {
    return this.#lanes.flatMap((lanes) =>
      lanes.flatMap(({ location, counters, counts }) =>
        [...counts.entries()].map(([epoch, diff]) => ({ location, time: { epoch, counters }, diff })),
      ),
    );
  }

  /** Recounts precursors after a lane's smallest epoch changed. */
  #move(lane: Lane, min: number): void {
    const { first: before, location } = lane;
    const after = min === Infinity ? null : { epoch: min, counters: lane.counters };
    const { graph } = this;
    let precursors = 0;
    for (const other of this.#active) {
      if (other === lane) continue;
      const { first } = other;
      if (before !== null && graph.couldResultIn(before, location, first!, other.location)) other.precursors--;
      if (after !== null) {
        if (graph.couldResultIn(after, location, first!, other.location)) other.precursors++;
        else if (graph.couldResultIn(first!, other.location, after, location)) precursors++;
      }
    }
    lane.first = after;
    lane.precursors = precursors;
    if (before === null) this.#active.push(lane);
    else if (after === null) {
      const last = this.#active.pop()!;
      if (last !== lane) this.#active[this.#active.indexOf(lane)] = last;
    }
  }

  #find(location: number, time: Timestamp): Lane | undefined {
    const wanted = time.counters;
    for (const lane of this.#lanes[location]!) {
      if (lane.counters.length === wanted.length && compareCounters(lane.counters, wanted) === 0) return lane;
    }
    return undefined;
  }

  #lane(location: number, time: Timestamp): Lane {
    const known = this.#find(location, time);
    if (known) return known;
    const { counters } = this.graph.checkTime(location, time);
    const lane: Lane = { location, counters, counts: new EpochCounts(), first: null, precursors: 0 };
    this.#lanes[location]!.push(lane);
    return lane;
  }

  /** Without this, a long-running loop would leave a lane for each iteration. */
  #forget(lane: Lane): void {
    const lanes = this.#lanes[lane.location]!;
    lanes.splice(lanes.indexOf(lane), 1);
  }
}
