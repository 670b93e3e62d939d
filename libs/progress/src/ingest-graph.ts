import { type DataflowGraph, GraphBuilder } from './dataflow-graph.ts';

/** Locations in the ingest graph where code outside this library counts events. */
export interface IngestGraph {
  readonly graph: DataflowGraph;
  /** Acknowledges bytes: the input. It holds the epoch of the next batch. */
  readonly receive: number;
  /** Acknowledged bytes that are not ingested. */
  readonly received: number;
  readonly parse: number;
  readonly store: number;
  /** Stored, but not yet published to readers. */
  readonly stored: number;
  /** Its notification for an epoch is the only event that waits until that epoch is complete. */
  readonly publish: number;
  /** Stored chunks that are not yet included in a rollup above them. */
  readonly toRollups: number;
  /** Rollup work above the chunk. The loop counter is the level, starting at 0. */
  readonly rollUp: number;
  /** Every rollup of the epoch is built. */
  readonly rolledUp: number;
}

/**
 * `receive → parse → store → publish`, and beside it `store → ⟨rollup ℓ → ℓ+1⟩ → rolled_up`:
 * rollups above the chunk form a loop that `publish` does not wait for.
 */
export function ingestGraph(): IngestGraph {
  const build = new GraphBuilder();
  const receive = build.vertex('receive');
  const parse = build.vertex('parse');
  const store = build.vertex('store');
  const publish = build.vertex('publish');
  const enter = build.vertex('enter rollups', { action: 'ingress' });
  const rollUp = build.vertex('roll up', { depth: 1 });
  const nextLevel = build.vertex('next level', { action: 'feedback', depth: 1 });
  const leave = build.vertex('leave rollups', { action: 'egress', depth: 1 });
  const rolledUp = build.vertex('rolled up');
  const received = build.edge(receive, parse);
  build.edge(parse, store);
  const stored = build.edge(store, publish);
  const toRollups = build.edge(store, enter);
  build.edge(enter, rollUp);
  build.edge(rollUp, nextLevel);
  build.edge(nextLevel, rollUp);
  build.edge(rollUp, leave);
  build.edge(leave, rolledUp);
  return { graph: build.build(), receive, received, parse, store, stored, publish, toRollups, rollUp, rolledUp };
}
