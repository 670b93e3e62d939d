import { type Action, applySummary, arrivesBy, identity, type PathSummary, summaryLessEqual, through } from './path-summary.ts';
import { timestamp, type Timestamp } from './timestamp.ts';

/**
 * A place where events can be outstanding: messages on an edge, or notifications at a vertex
 * (Naiad: Edge ∪ Vertex).
 */
export interface Location {
  readonly id: number;
  readonly name: string;
  readonly kind: 'vertex' | 'edge';
  /**
   * The number of loops around the location, and therefore the number of counters in its times. A
   * vertex has the times of its incoming messages.
   */
  readonly depth: number;
}

/** The graph is not a valid timely dataflow graph. */
export class GraphFault extends Error {
  override readonly name = 'GraphFault';
}

interface Draft extends Location {
  readonly action: Action;
  /** The vertex that an edge leads to, once connected. */
  to: number | null;
}

/**
 * Builds a graph: first vertices, then the edges between them.
 *
 * ```ts
 * const graph = new GraphBuilder();
 * const input = graph.vertex('input');
 * const enter = graph.vertex('enter', { action: 'ingress' });
 * graph.edge(input, enter);
 * assert.throws(() => graph.edge(enter, input), GraphFault); // inside the loop, times have one more counter
 * ```
 */
export class GraphBuilder {
  readonly #locations: Draft[] = [];
  readonly #edges: { readonly id: number; readonly from: number; readonly to: number }[] = [];

  /** Adds a vertex with `depth` loops around its input (0 by default). Returns its location. */
  vertex(name: string, { action = 'none', depth = 0 }: { readonly action?: Action; readonly depth?: number } = {}): number {
    if (depth === 0 && (action === 'egress' || action === 'feedback')) throw new GraphFault(`${name}: ${action} lies in a loop`);
    const id = this.#locations.length;
    this.#locations.push({ id, name, kind: 'vertex', depth, action, to: null });
    return id;
  }

  /**
   * Adds an edge that carries messages from one vertex to another. Returns its location. Throws
   * {@link GraphFault} if the depths do not match.
   */
  edge(from: number, to: number): number {
    const [source, target] = [this.#locations[from], this.#locations[to]];
    if (source?.kind !== 'vertex' || target?.kind !== 'vertex') throw new GraphFault('an edge connects two vertices');
    const depth = source.depth + (source.action === 'ingress' ? 1 : source.action === 'egress' ? -1 : 0);
    const name = `${source.name} → ${target.name}`;
    if (depth !== target.depth) throw new GraphFault(`${name}: ${depth} loops at its beginning, ${target.depth} at its end`);
    const id = this.#locations.length;
    this.#locations.push({ id, name, kind: 'edge', depth, action: 'none', to });
    this.#edges.push({ id, from, to });
    return id;
  }

  /**
   * The finished graph. Throws {@link GraphFault} if a cycle contains no feedback vertex, because
   * its times would never advance.
   */
  build(): DataflowGraph {
    const steps = this.#locations.map((location): readonly Step[] =>
      location.kind === 'edge'
        ? [{ to: location.to!, action: 'none' }]
        : this.#edges.filter(({ from }) => from === location.id).map(({ id }) => ({ to: id, action: location.action })),
    );
    const locations = this.#locations.map(({ id, name, kind, depth }): Location => ({ id, name, kind, depth }));
    const actions = this.#locations.map(({ action }) => action);
    return new DataflowGraph(locations, actions, steps, this.#edges);
  }
}

/** A step from a location to an adjacent one, with the effect on the time. */
interface Step {
  readonly to: number;
  readonly action: Action;
}

/** A finished graph with the minimal path summaries between all its locations. Immutable. */
export class DataflowGraph {
  readonly locations: readonly Location[];
  readonly #actions: readonly Action[];
  readonly #edges: readonly { readonly id: number; readonly from: number; readonly to: number }[];
  /**
   * Ψ[from][to] is a list in which no summary is at or below another. Empty if there is no path.
   */
  readonly #summaries: readonly (readonly (readonly PathSummary[])[])[];

  constructor(
    locations: readonly Location[],
    actions: readonly Action[],
    steps: readonly (readonly Step[])[],
    edges: readonly { readonly id: number; readonly from: number; readonly to: number }[],
  ) {
    this.locations = locations;
    this.#actions = actions;
    this.#edges = edges;
    this.#summaries = locations.map((location) => summariesFrom(location, locations, steps));
  }

  /**
   * Minimal path summaries between two locations. Most graphs have one; there are several if no
   * path is always the earliest.
   */
  summaries(from: number, to: number): readonly PathSummary[] {
    return this.#summaries[from]![to]!;
  }

  /**
   * Whether an event at (`time`, `from`) can result in an event at (`later`, `to`), i.e. whether
   * some path maps `time` to a time at or below `later`.
   */
  couldResultIn(time: Timestamp, from: number, later: Timestamp, to: number): boolean {
    for (const summary of this.#summaries[from]![to]!) if (arrivesBy(summary, time, later)) return true;
    return false;
  }

  /** The edges that leave a vertex, in creation order. */
  edgesFrom(vertex: number): readonly { readonly id: number; readonly to: number }[] {
    return this.#edges.filter(({ from }) => from === vertex);
  }

  /**
   * The time at which a vertex sends when it handles an event at this time. Ingress appends a 0,
   * egress drops the last counter, and feedback adds 1 to it.
   */
  sent(vertex: number, time: Timestamp): Timestamp {
    return applySummary(through(identity(this.locations[vertex]!.depth), this.#actions[vertex]!), time);
  }

  /** Throws RangeError if the time does not have one counter for each loop around the location. */
  checkTime(location: number, time: Timestamp): Timestamp {
    const { name, depth } = this.locations[location]!;
    if (time.counters.length !== depth)
      throw new RangeError(`${name} is in ${depth} loops, but the time has ${time.counters.length} counters`);
    return timestamp(time.epoch, ...time.counters);
  }
}

/**
 * Summarizes the paths from one location to all others, extending them step by step. A summary that
 * is not below the known ones adds nothing, nor do its extensions. This terminates because every
 * cycle adds to a counter; a cycle that does not is a fault.
 */
function summariesFrom(from: Location, locations: readonly Location[], steps: readonly (readonly Step[])[]): PathSummary[][] {
  const found = locations.map((): PathSummary[] => []);
  const start = identity(from.depth);
  found[from.id]!.push(start);
  const open: { readonly at: number; readonly summary: PathSummary }[] = [{ at: from.id, summary: start }];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const { to, action } of steps[next.at]!) {
      const summary = through(next.summary, action);
      if (to === from.id && (summaryLessEqual(summary, start) || !summaryLessEqual(start, summary))) {
        throw new GraphFault(`a cycle through ${from.name} has no feedback: its times would never become later`);
      }
      const known = found[to]!;
      if (known.some((other) => summaryLessEqual(other, summary))) continue;
      found[to] = [...known.filter((other) => !summaryLessEqual(summary, other)), summary];
      open.push({ at: to, summary });
    }
  }
  return found;
}
