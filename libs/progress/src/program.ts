import { type DataflowGraph, GraphBuilder } from './dataflow-graph.ts';
import type { Action } from './path-summary.ts';
import type { Timestamp } from './timestamp.ts';

/** What a vertex may do while it handles an event at some time: nothing earlier than that time. */
export interface Outlet {
  /** Sends a message by one of the vertex's edges (numbered as they were connected), or by all of them. */
  sendBy(edge: number | 'all', message: unknown, time: Timestamp): void;
  /** Says that by this edge, or by all, nothing comes for the message that was handled: the branch was not taken (TensorFlow's dead value). */
  sendDead(edge: number | 'all', time: Timestamp): void;
  /** Asks to be told when no message at or before the time can come any more. */
  notifyAt(time: Timestamp): void;
}

/** The program of a vertex; every worker has an instance of its own. */
export interface Vertex {
  /** A message by one of the vertex's incoming edges, numbered as they were connected. */
  onRecv(message: unknown, time: Timestamp, outlet: Outlet, edge: number): void;
  /** Every message at or before the time has been received, here and in every other worker. */
  onNotify?(time: Timestamp, outlet: Outlet): void;
  /** A dead value came. Without this method it is handed on by all edges: what depends on a dead value is dead. */
  onDead?(time: Timestamp, outlet: Outlet, edge: number): void;
  /** The state, for a checkpoint; what `create` is given to go on from. */
  save?(): unknown;
}

/** Makes an instance of a vertex: a new one, or one that goes on from what `save` gave. */
export interface VertexFactory {
  (saved?: unknown): Vertex;
  /** All that comes to the vertex at one time has to meet in one worker, dead values too. */
  readonly meetsByTime?: boolean;
}

/** Which worker gets a message: the one that its key hashes to. */
export type KeyOf = (message: unknown) => string | number;

/** An edge of the program. Without a key a message stays in its worker; `time`: the worker that its time hashes to gets it. */
export interface Connector {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly key: KeyOf | 'time' | null;
}

/**
 * A logical graph with what its vertices do. Any number of workers run it: each has an instance of every vertex, and connectors with a key
 * spread messages over them (Naiad, section 3.1).
 */
export class Program {
  readonly #builder = new GraphBuilder();
  readonly #vertices = new Map<number, VertexFactory>();
  readonly #inputs = new Map<string, number>();
  readonly #connectors: Connector[] = [];
  #graph: DataflowGraph | null = null;

  /** A vertex that messages come in by, from outside: see `Worker.input`. */
  input(name: string): number {
    if (this.#inputs.has(name)) throw new RangeError(`there is an input ${name} already`);
    const vertex = this.#builder.vertex(name);
    this.#inputs.set(name, vertex);
    return vertex;
  }

  /** A vertex in `depth` loops. */
  vertex(name: string, create: VertexFactory, depth = 0): number {
    const vertex = this.#builder.vertex(name, { depth });
    this.#vertices.set(vertex, create);
    return vertex;
  }

  /** A vertex that only changes times: into a loop, out of it, or around it once more. `depth` counts the loops around its input. */
  control(name: string, action: Exclude<Action, 'none'>, depth: number): number {
    const vertex = this.#builder.vertex(name, { action, depth });
    this.#vertices.set(vertex, () => ({ onRecv: (message, time, outlet) => outlet.sendBy('all', message, time) }));
    return vertex;
  }

  /** Leads the messages of one vertex to another. Throws RangeError when a key is given for a vertex that spreads them by their times. */
  connect(from: number, to: number, key: KeyOf | null = null): void {
    const meets = this.#vertices.get(to)?.meetsByTime === true;
    if (meets && key) throw new RangeError('what comes to this vertex is spread by its time, not by a key');
    this.#connectors.push({ id: this.#builder.edge(from, to), from, to, key: meets ? 'time' : key });
  }

  /** The finished graph; nothing can be added afterwards. */
  get graph(): DataflowGraph {
    return (this.#graph ??= this.#builder.build());
  }

  get inputs(): ReadonlyMap<string, number> {
    return this.#inputs;
  }

  get vertices(): ReadonlyMap<number, VertexFactory> {
    return this.#vertices;
  }

  get connectors(): readonly Connector[] {
    return this.#connectors;
  }
}
