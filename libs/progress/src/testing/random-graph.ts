import fc from 'fast-check';
import { type DataflowGraph, GraphBuilder } from '../dataflow-graph.ts';
import { timestamp, type Timestamp } from '../timestamp.ts';
import type { Action } from '../path-summary.ts';

/**
 * A random graph, with its construction for a reference implementation that works from the
 * definition.
 */
export interface GraphCase {
  readonly graph: DataflowGraph;
  /** By location. */
  readonly places: ReadonlyMap<number, VertexPlace | EdgePlace>;
  readonly input: number;
}

export interface VertexPlace {
  readonly action: Action;
  /** Outgoing edges. */
  readonly edges: readonly number[];
}

export interface EdgePlace {
  readonly to: number;
}

interface Plan {
  /** Consecutive plain vertices, and the loops between them. */
  readonly parts: readonly ('vertex' | Plan)[];
  /** Additional forward edges. Each end is a fraction of the positions. */
  readonly shortcuts: readonly (readonly [number, number])[];
}

const shortcut = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.double({ min: 0, max: 0.999, noNaN: true }));

function planOf(depth: number): fc.Arbitrary<Plan> {
  const part =
    depth === 0 ? fc.constant('vertex' as const) : fc.oneof({ weight: 2, arbitrary: fc.constant('vertex' as const) }, planOf(depth - 1));
  return fc.record({ parts: fc.array(part, { minLength: 1, maxLength: 3 }), shortcuts: fc.array(shortcut, { maxLength: 2 }) });
}

/**
 * Small graphs with loops up to two deep, side by side or nested. Every cycle contains a feedback
 * vertex.
 */
export const anyGraph: fc.Arbitrary<GraphCase> = planOf(2).map((plan) => {
  const build = new GraphBuilder();
  const places = new Map<number, VertexPlace | EdgePlace>();
  const edges = new Map<number, number[]>();
  const vertex = (action: Action, depth: number): number => {
    const id = build.vertex(`v${places.size}`, { action, depth });
    edges.set(id, []);
    places.set(id, { action, edges: edges.get(id)! });
    return id;
  };
  const edge = (from: number, to: number): void => {
    const id = build.edge(from, to);
    edges.get(from)!.push(id);
    places.set(id, { to });
  };
  /**
   * Adds the parts of a plan in sequence, between two vertices. Both ends are plain vertices at
   * this depth.
   */
  const lay = ({ parts, shortcuts }: Plan, depth: number): { first: number; last: number } => {
    const row = [vertex('none', depth)];
    for (const part of parts) {
      const next = vertex('none', depth);
      if (part === 'vertex') edge(row.at(-1)!, next);
      else {
        const enter = vertex('ingress', depth);
        const inner = lay(part, depth + 1);
        const feedback = vertex('feedback', depth + 1);
        const leave = vertex('egress', depth + 1);
        edge(row.at(-1)!, enter);
        edge(enter, inner.first);
        edge(inner.last, feedback);
        edge(feedback, inner.first);
        edge(inner.last, leave);
        edge(leave, next);
      }
      row.push(next);
    }
    for (const [a, b] of shortcuts) {
      const from = Math.floor(a * (row.length - 1));
      edge(row[from]!, row[from + 1 + Math.floor(b * (row.length - 1 - from))]!);
    }
    return { first: row[0]!, last: row.at(-1)! };
  };
  const { first } = lay(plan, 0);
  return { graph: build.build(), places, input: first };
});

/** Times with small numbers, so that they often coincide. */
export function anyTime(depth: number): fc.Arbitrary<Timestamp> {
  const small = fc.integer({ min: 0, max: 3 });
  return fc.tuple(small, fc.array(small, { minLength: depth, maxLength: depth })).map(([epoch, counters]) => timestamp(epoch, ...counters));
}
