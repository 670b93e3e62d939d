import { type DataflowGraph, GraphBuilder } from '../dataflow-graph.ts';
import type { Action } from '../path-summary.ts';
import type { Timestamp } from '../timestamp.ts';

/**
 * The actions of a vertex that handles an event. They are allowed only at the time of the event or
 * later.
 */
export interface Outlet {
  /**
   * Sends a message on one of the vertex's edges (numbered in connection order), or on all of them.
   */
  sendBy(edge: number | 'all', message: unknown, time: Timestamp): void;
  /**
   * Signals, on this edge or on all edges, that nothing follows from the handled message: the
   * branch was not taken (TensorFlow's dead value).
   */
  sendDead(edge: number | 'all', time: Timestamp): void;
  /** Requests a notification for when no message at or before the time can arrive anymore. */
  notifyAt(time: Timestamp): void;
}

/** A vertex's program. Every worker has its own instance. */
export interface Vertex {
  /** Called for a message on one of the vertex's incoming edges, numbered in connection order. */
  onRecv(message: unknown, time: Timestamp, outlet: Outlet, edge: number): void;
  /** Called when all workers have received every message at or before the time. */
  onNotify?(time: Timestamp, outlet: Outlet): void;
  /**
   * Called for a dead value. Without this method, it is forwarded on all edges, because values that
   * depend on a dead value are dead.
   */
  onDead?(time: Timestamp, outlet: Outlet, edge: number): void;
  /** The state for a checkpoint. It is passed to `create` to resume. */
  save?(): unknown;
}

/** Creates an instance of a vertex, which is new or resumes from what `save` returned. */
export interface VertexFactory {
  (saved?: unknown): Vertex;
  /** All messages to the vertex at one time, including dead values, must go to the same worker. */
  readonly meetsByTime?: boolean;
}

/** Returns the key of a message. Its hash selects the worker. */
export type KeyOf = (message: unknown) => string | number;

/**
 * An edge of the program. Without a key, a message remains in its worker. With `time`, the hash of
 * the message's time selects the worker.
 */
export interface Connector {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly key: KeyOf | 'time' | null;
}

/**
 * A logical graph with the programs of its vertices. Any number of workers can run it. Each worker
 * has an instance of every vertex, and keyed connectors distribute messages among the workers
 * (Naiad, section 3.1).
 */
export class Program {
  readonly #builder = new GraphBuilder();
  readonly #vertices = new Map<number, VertexFactory>();
  readonly #inputs = new Map<string, number>();
  readonly #connectors: Connector[] = [];
  #graph: DataflowGraph | null = null;

  /** A vertex that receives messages from outside; see `Worker.input`. */
  input(name: string): number {
    if (this.#inputs.has(name)) throw new RangeError(`there is an input ${name} already`);
    const vertex = this.#builder.vertex(name);
    this.#inputs.set(name, vertex);
    return vertex;
  }

  /** A vertex inside `depth` loops. */
  vertex(name: string, create: VertexFactory, depth = 0): number {
    const vertex = this.#builder.vertex(name, { depth });
    this.#vertices.set(vertex, create);
    return vertex;
  }

  /**
   * A vertex that only changes times: it leads into a loop, out of it, or around it again. `depth`
   * is the number of loops around its input.
   */
  control(name: string, action: Exclude<Action, 'none'>, depth: number): number {
    const vertex = this.#builder.vertex(name, { action, depth });
    this.#vertices.set(vertex, () => ({ onRecv: (message, time, outlet) => outlet.sendBy('all', message, time) }));
    return vertex;
  }

  /**
   * Connects one vertex to another. Throws RangeError if a key is given for a vertex that
   * distributes messages by time.
   */
  connect(from: number, to: number, key: KeyOf | null = null): void {
    const meets = this.#vertices.get(to)?.meetsByTime === true;
    if (meets && key) throw new RangeError('what comes to this vertex is spread by its time, not by a key');
    this.#connectors.push({ id: this.#builder.edge(from, to), from, to, key: meets ? 'time' : key });
  }

  /** The finished graph. Nothing can be added to it. */
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
