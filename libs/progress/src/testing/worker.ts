import type { Antichain } from '../antichain.ts';
import { type Change, ChangeBatch } from '../change-batch.ts';
import type { Connector, Outlet, Program, Vertex } from './program.ts';
import { type ProgressBatch, ProgressView, type SavedView } from '../progress-view.ts';
import { lessEqual, sameTime, timestamp, timeText, type Timestamp } from '../timestamp.ts';

/** A message in transit: its edge, time and content. A dead value has no content. */
export interface Envelope {
  readonly edge: number;
  readonly time: Timestamp;
  readonly dead: boolean;
  readonly message: unknown;
}

/** This worker's index, starting at 0, and the number of workers. */
export interface Place {
  readonly index: number;
  readonly workers: number;
}

/** A worker's state between two events. Another process can take over from it. */
export interface SavedWorker {
  readonly number: number;
  readonly unsent: readonly Change[];
  readonly view: SavedView;
  readonly queue: readonly Envelope[];
  readonly wanted: readonly { readonly vertex: number; readonly time: Timestamp }[];
  readonly inputs: Readonly<Record<string, number | null>>;
  readonly states: Readonly<Record<number, unknown>>;
}

/** Delivers a worker's messages to other workers. */
export type SendTo = (worker: number, envelope: Envelope) => void;

/**
 * A worker that runs a {@link Program}. It receives messages, notifies its vertices of complete
 * times, and counts its events. {@link step} handles one event at a time, and {@link flush} returns
 * the batches that publish its progress.
 *
 * To keep frontiers correct, an event remains outstanding while it is handled, so its effects are
 * counted before the event itself is removed.
 */
export class Worker {
  readonly name: string;
  readonly #program: Program;
  readonly #place: Place;
  readonly #send: SendTo;
  readonly #view: ProgressView;
  readonly #vertices = new Map<number, Vertex>();
  readonly #changes = new ChangeBatch();
  readonly #queue: Envelope[] = [];
  readonly #wanted: { readonly vertex: number; readonly time: Timestamp }[] = [];
  /** Each input's open epoch. Null if the input is closed. */
  readonly #inputs = new Map<string, number | null>();
  #number = 0;

  constructor(program: Program, place: Place, send: SendTo, saved?: SavedWorker) {
    this.name = workerName(place.index);
    this.#program = program;
    this.#place = place;
    this.#send = send;
    this.#view = new ProgressView(program.graph, saved?.view ?? { heard: {}, changes: initialChanges(program, place.workers) });
    for (const [vertex, create] of program.vertices) this.#vertices.set(vertex, create(saved?.states[vertex]));
    for (const name of program.inputs.keys()) this.#inputs.set(name, saved ? saved.inputs[name]! : 0);
    if (!saved) return;
    this.#number = saved.number;
    this.#queue.push(...saved.queue);
    this.#wanted.push(...saved.wanted);
    for (const { location, time, diff } of saved.unsent) this.#changes.add(location, time, diff);
  }

  /**
   * The handle for messages from outside. Holds the frontier at its epoch until it advances or is
   * closed.
   */
  input(name: string): InputHandle {
    const vertex = this.#program.inputs.get(name);
    if (vertex === undefined) throw new RangeError(`there is no input ${name}`);
    const epochOf = (): number => {
      const epoch = this.#inputs.get(name);
      if (epoch === null || epoch === undefined) throw new RangeError(`input ${name} is closed`);
      return epoch;
    };
    const move = (from: number, to: number | null): void => {
      if (to !== null) this.#changes.add(vertex, timestamp(to), 1);
      this.#changes.add(vertex, timestamp(from), -1);
      this.#inputs.set(name, to);
    };
    return {
      send: (message) => this.#outletAt(vertex, timestamp(epochOf())).sendBy('all', message, timestamp(epochOf())),
      advanceTo: (epoch) => {
        const from = epochOf();
        if (epoch <= from) throw new RangeError(`input ${name} is at epoch ${from}, it cannot go to ${epoch}`);
        move(from, epoch);
      },
      close: () => {
        if (this.#inputs.get(name) !== null) move(epochOf(), null);
      },
    };
  }

  /** Receives a message from another worker. */
  receive(envelope: Envelope): void {
    this.#queue.push(envelope);
  }

  /**
   * Applies another worker's batch, or one of its own batches again. See {@link ProgressView.hear}.
   */
  hear(batch: ProgressBatch): boolean {
    return this.#view.hear(batch);
  }

  /** Number of a worker's last batch that this worker has applied. */
  heard(worker: string): number {
    return this.#view.heard(worker);
  }

  /**
   * Delivers one due notification or, if there is none, the oldest message. Returns false if there
   * is neither.
   */
  step(): boolean {
    const due = this.#wanted.findIndex(({ vertex, time }) => this.#view.isFirst(vertex, time));
    if (due >= 0) {
      const [{ vertex, time }] = this.#wanted.splice(due, 1) as [{ vertex: number; time: Timestamp }];
      this.#vertices.get(vertex)!.onNotify!(time, this.#outletAt(vertex, time));
      this.#changes.add(vertex, time, -1);
      return true;
    }
    const envelope = this.#queue.shift();
    if (!envelope) return false;
    this.#deliver(envelope);
    this.#changes.add(envelope.edge, envelope.time, -1);
    return true;
  }

  /**
   * The changes since the last batch, to be sent to all workers. They are already applied here.
   * Null if there are none.
   */
  flush(): ProgressBatch | null {
    if (this.#changes.isEmpty) return null;
    const batch = { worker: this.name, number: ++this.#number, changes: this.#changes.drain() };
    this.#view.hear(batch);
    return batch;
  }

  /** The times that may still occur at a location, as far as this worker knows. */
  frontier(location: number): Antichain {
    return this.#view.frontier(location);
  }

  get isComplete(): boolean {
    return this.#changes.isEmpty && this.#view.isComplete;
  }

  save(): SavedWorker {
    return {
      number: this.#number,
      unsent: this.#changes.changes(),
      view: this.#view.save(),
      queue: [...this.#queue],
      wanted: [...this.#wanted],
      inputs: Object.fromEntries(this.#inputs),
      states: Object.fromEntries([...this.#vertices].map(([vertex, instance]) => [vertex, structuredClone(instance.save?.())])),
    };
  }

  #deliver({ edge, time, dead, message }: Envelope): void {
    const { to } = this.#program.connectors.find(({ id }) => id === edge)!;
    const vertex = this.#vertices.get(to)!;
    const outlet = this.#outletAt(to, time);
    const incoming = this.#program.connectors.filter((connector) => connector.to === to).findIndex(({ id }) => id === edge);
    if (!dead) vertex.onRecv(message, time, outlet, incoming);
    else if (vertex.onDead) vertex.onDead(time, outlet, incoming);
    else outlet.sendDead('all', time);
  }

  /**
   * The actions of a vertex that handles an event at `now`. They are allowed only at that time or
   * later.
   */
  #outletAt(vertex: number, now: Timestamp): Outlet {
    const allow = (time: Timestamp): void => {
      if (!lessEqual(now, time)) throw new RangeError(`at ${timeText(now)} nothing can be sent or asked for at ${timeText(time)}`);
    };
    const edges = this.#program.connectors.filter(({ from }) => from === vertex);
    const send = (edge: number | 'all', envelope: Omit<Envelope, 'edge'>): void => {
      allow(envelope.time);
      const time = this.#program.graph.sent(vertex, envelope.time);
      for (const connector of edge === 'all' ? edges : [edges[edge]!]) this.#post(connector, { ...envelope, time, edge: connector.id });
    };
    return {
      sendBy: (edge, message, time) => send(edge, { time, message, dead: false }),
      sendDead: (edge, time) => send(edge, { time, message: null, dead: true }),
      notifyAt: (time) => {
        allow(time);
        if (!this.#vertices.get(vertex)?.onNotify) throw new RangeError('a vertex without onNotify asks for a notification');
        if (this.#wanted.some((one) => one.vertex === vertex && sameTime(one.time, time))) return;
        this.#wanted.push({ vertex, time });
        this.#changes.add(vertex, time, 1);
      },
    };
  }

  #post(connector: Connector, envelope: Envelope): void {
    this.#changes.add(envelope.edge, envelope.time, 1);
    const { index, workers } = this.#place;
    const to = connector.key === null ? index : keyHash(connector.key, envelope) % workers;
    if (to === index) this.#queue.push(envelope);
    else this.#send(to, envelope);
  }
}

/** See {@link Worker.input}. */
export interface InputHandle {
  /**
   * Sends a message at the open epoch. Throws RangeError if the input is closed, as do the other
   * methods.
   */
  send(message: unknown): void;
  /** Promises that no message before this epoch will follow. */
  advanceTo(epoch: number): void;
  /** Promises that no message will follow. */
  close(): void;
}

export function workerName(index: number): string {
  return `worker-${index}`;
}

/** Every worker's inputs start open at epoch 0, and every worker knows this. */
function initialChanges(program: Program, workers: number): Change[] {
  return [...program.inputs.values()].map((location) => ({ location, time: timestamp(0), diff: workers }));
}

function keyHash(key: NonNullable<Connector['key']>, { time, message, dead }: Envelope): number {
  if (key === 'time') return hash(timeText(time));
  // A dead value has no key. It goes to the first worker, so that there is only one.
  return dead ? 0 : hash(String(key(message)));
}

/** FNV-1a over UTF-16 units. Any hash that is the same in every process would be sufficient. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
