import fc from 'fast-check';
import type { Change } from '../change-batch.ts';
import { timestamp, type Timestamp } from '../timestamp.ts';
import type { GraphCase } from './random-graph.ts';
import type { Pointstamp } from './reference.ts';

/**
 * Random decisions for one run of a system. fast-check shrinks them to find the smallest failure.
 */
export const anyDecisions = fc.array(fc.nat({ max: 0xffff }), { minLength: 20, maxLength: 120 });

/**
 * An event at a vertex belongs to the worker that created it. A message on an edge may reach any
 * worker.
 */
interface OwnedEvent extends Pointstamp {
  readonly owner: number;
}

/**
 * A system that makes only legal moves. A worker takes a message or one of its own outstanding
 * events, and either creates events at the same time or later, or completes it. The system starts
 * with one event per worker at the input.
 */
export class LegalMoves {
  readonly #case: GraphCase;
  readonly #outstanding: OwnedEvent[];

  constructor(graphCase: GraphCase, workers = 1) {
    this.#case = graphCase;
    this.#outstanding = Array.from({ length: workers }, (_, owner) => ({ location: graphCase.input, time: timestamp(0), owner }));
  }

  /** One change for each outstanding event. */
  changes(): Change[] {
    return this.#outstanding.map(({ location, time }) => ({ location, time, diff: 1 }));
  }

  get isOver(): boolean {
    return this.#outstanding.length === 0;
  }

  /**
   * One move of a worker. Its changes belong together. `decision` chooses the event and the move.
   * Empty if the worker has no event.
   */
  move(decision: number, worker = 0): Change[] {
    const own = this.#outstanding.filter(({ location, owner }) => owner === worker || this.#isEdge(location));
    if (own.length === 0) return [];
    const event = own[decision % own.length]!;
    const kind = Math.floor(decision / own.length);
    const place = this.#case.places.get(event.location)!;
    if ('to' in place) return [this.#cause(place.to, event.time, worker), this.#end(event)];
    const choice = this.#outstanding.length > 8 ? 3 : kind % 4;
    if (choice === 0) return [this.#cause(event.location, later(event.time, kind), worker)];
    if (choice < 3 && place.edges.length > 0) {
      const edge = place.edges[(kind >> 2) % place.edges.length]!;
      return [this.#cause(edge, this.#case.graph.sent(event.location, later(event.time, kind >> 4)), worker)];
    }
    return [this.#end(event)];
  }

  #isEdge(location: number): boolean {
    return 'to' in this.#case.places.get(location)!;
  }

  #cause(location: number, time: Timestamp, owner: number): Change {
    this.#outstanding.push({ location, time, owner });
    return { location, time, diff: 1 };
  }

  #end(event: OwnedEvent): Change {
    this.#outstanding.splice(this.#outstanding.indexOf(event), 1);
    return { location: event.location, time: event.time, diff: -1 };
  }
}

/** Returns the same time, a later epoch, or a time with a larger counter followed by zeros. */
function later({ epoch, counters }: Timestamp, by: number): Timestamp {
  if (by % 3 === 0) return timestamp(epoch + 1, ...counters);
  if (by % 3 === 1 || counters.length === 0) return { epoch, counters };
  const at = by % counters.length;
  return timestamp(epoch, ...counters.map((counter, i) => (i < at ? counter : i === at ? counter + 1 : 0)));
}
