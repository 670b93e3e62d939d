import type { Program } from './program.ts';
import type { ProgressBatch } from '../progress-view.ts';
import { type Envelope, type SavedWorker, Worker, workerName } from './worker.ts';

/** Input of a worker. */
export type Feed = { readonly send: unknown } | { readonly advanceTo: number } | 'close';

interface Seat {
  worker: Worker;
  /**
   * Messages that other workers have committed for this worker, and how many of them it has
   * consumed.
   */
  readonly inbox: Envelope[];
  taken: number;
  /** Messages sent since its last commit. */
  outbox: { readonly to: number; readonly envelope: Envelope }[];
  fed: number;
  /** Its state at its last commit. */
  saved: { readonly state: SavedWorker; readonly taken: number; readonly fed: number };
}

/**
 * Workers that run a program step by step, as the decisions direct. Like a transaction, a worker
 * commits its work atomically: its state, its progress batch, and the messages that it sent and
 * consumed. A worker that dies is resumed elsewhere from its last commit.
 */
export class Cluster {
  readonly #program: Program;
  readonly #feeds: readonly (readonly Feed[])[];
  readonly #seats: Seat[];
  readonly #logs: ProgressBatch[][];
  deaths = 0;

  constructor(program: Program, feeds: readonly (readonly Feed[])[]) {
    this.#program = program;
    this.#feeds = feeds;
    this.#logs = feeds.map(() => []);
    this.#seats = feeds.map((_, index) => {
      const worker = this.#start(index);
      return { worker, inbox: [], taken: 0, outbox: [], fed: 0, saved: { state: worker.save(), taken: 0, fed: 0 } };
    });
  }

  /** One step, chosen by the decision number. */
  happen(decision: number): void {
    const index = decision % this.#seats.length;
    const rest = Math.floor(decision / this.#seats.length);
    switch (rest % 8) {
      case 0:
      case 1:
        return void this.#seats[index]!.worker.step();
      case 2:
        return this.#take(index);
      case 3:
        return this.#feed(index);
      case 4:
        return this.#commit(index);
      case 5:
      case 6:
        this.#hear(index, (rest >> 3) % this.#seats.length);
        return;
      case 7:
        if (rest % 3 === 0) this.#die(index);
    }
  }

  /** Runs all remaining steps, without deaths. Throws if the program does not end. */
  finish(): void {
    for (let round = 0; round < 10_000; round++) {
      for (let index = 0; index < this.#seats.length; index++) {
        this.#feed(index);
        this.#take(index);
        while (this.#seats[index]!.worker.step());
        this.#commit(index);
        for (let from = 0; from < this.#seats.length; from++) while (this.#hear(index, from));
      }
      if (this.#seats.every(({ worker, inbox, taken }) => worker.isComplete && taken === inbox.length)) return;
    }
    throw new Error('the program does not end');
  }

  /** A vertex's committed state in each worker. */
  states(vertex: number): unknown[] {
    return this.#seats.map(({ saved }) => saved.state.states[vertex]);
  }

  #start(index: number, saved?: SavedWorker): Worker {
    const send = (to: number, envelope: Envelope): void => void this.#seats[index]!.outbox.push({ to, envelope });
    return new Worker(this.#program, { index, workers: this.#feeds.length }, send, saved);
  }

  #take(index: number): void {
    const seat = this.#seats[index]!;
    if (seat.taken < seat.inbox.length) seat.worker.receive(seat.inbox[seat.taken++]!);
  }

  #feed(index: number): void {
    const seat = this.#seats[index]!;
    const next = this.#feeds[index]![seat.fed];
    if (next === undefined) return;
    seat.fed++;
    for (const name of this.#program.inputs.keys()) {
      const input = seat.worker.input(name);
      if (next === 'close') input.close();
      else if ('send' in next) input.send(next.send);
      else input.advanceTo(next.advanceTo);
    }
  }

  #commit(index: number): void {
    const seat = this.#seats[index]!;
    const batch = seat.worker.flush();
    if (batch) this.#logs[index]!.push(batch);
    for (const { to, envelope } of seat.outbox) this.#seats[to]!.inbox.push(envelope);
    seat.outbox = [];
    seat.saved = { state: seat.worker.save(), taken: seat.taken, fed: seat.fed };
  }

  #hear(index: number, from: number): boolean {
    const { worker } = this.#seats[index]!;
    if (from === index) return false; // it applies its own batches when it creates them
    const next = this.#logs[from]![worker.heard(workerName(from))];
    return next !== undefined && worker.hear(next);
  }

  #die(index: number): void {
    this.deaths++;
    const seat = this.#seats[index]!;
    seat.outbox = [];
    seat.taken = seat.saved.taken;
    seat.fed = seat.saved.fed;
    seat.worker = this.#start(index, structuredClone(seat.saved.state));
  }
}
