import type { Change } from '../change-batch.ts';
import { lessEqual, timestamp, timeText, type Timestamp } from '../timestamp.ts';
import type { GraphCase } from './random-graph.ts';

/** A time and a location. */
export interface Pointstamp {
  readonly location: number;
  readonly time: Timestamp;
}

export function nameOf({ location, time }: Pointstamp): string {
  return `${location}@${timeText(time)}`;
}

/**
 * Maximum number of loop iterations that the reference follows. Times in tests have counters below
 * 4.
 */
const maxCounter = 8;

/**
 * All pointstamps that an event can lead to, found by walking the graph step by step. This is the
 * definition of could-result-in, without summaries.
 */
export function walk(graphCase: GraphCase, start: Pointstamp): Pointstamp[] {
  const found = new Map([[nameOf(start), start]]);
  const open = [start];
  for (let at = open.pop(); at; at = open.pop()) {
    for (const next of stepsFrom(graphCase, at)) {
      if (next.time.counters.some((counter) => counter > maxCounter) || found.has(nameOf(next))) continue;
      found.set(nameOf(next), next);
      open.push(next);
    }
  }
  return [...found.values()];
}

function stepsFrom({ places }: GraphCase, { location, time }: Pointstamp): Pointstamp[] {
  const place = places.get(location)!;
  if ('to' in place) return [{ location: place.to, time }];
  const { action, edges } = place;
  const { epoch, counters } = time;
  const after = {
    none: () => counters,
    ingress: () => [...counters, 0],
    egress: () => counters.slice(0, -1),
    feedback: () => [...counters.slice(0, -1), counters.at(-1)! + 1],
  }[action]();
  return edges.map((edge) => ({ location: edge, time: timestamp(epoch, ...after) }));
}

/**
 * Occurrence and precursor counts by definition: compares every active pointstamp with every other.
 */
export class ReferenceTracker {
  readonly #case: GraphCase;
  readonly #counts = new Map<string, { readonly point: Pointstamp; count: number }>();
  readonly #walks = new Map<string, Pointstamp[]>();

  constructor(graphCase: GraphCase) {
    this.#case = graphCase;
  }

  update({ location, time, diff }: Change): void {
    const point = { location, time };
    const known = this.#counts.get(nameOf(point)) ?? { point, count: 0 };
    known.count += diff;
    this.#counts.set(nameOf(point), known);
  }

  couldResultIn(from: Pointstamp, to: Pointstamp): boolean {
    let walked = this.#walks.get(nameOf(from));
    if (!walked) this.#walks.set(nameOf(from), (walked = walk(this.#case, from)));
    return walked.some(({ location, time }) => location === to.location && lessEqual(time, to.time));
  }

  /** Active pointstamps that no other active pointstamp could result in. */
  firsts(): Pointstamp[] {
    const active = [...this.#counts.values()].filter(({ count }) => count > 0).map(({ point }) => point);
    return active.filter((point) => !active.some((other) => other !== point && this.couldResultIn(other, point)));
  }

  /**
   * Whether anything outstanding could result in the pointstamp, i.e. whether the pointstamp is
   * beyond its location's frontier.
   */
  mayStillCome(point: Pointstamp): boolean {
    return [...this.#counts.values()].some(({ point: other, count }) => count > 0 && this.couldResultIn(other, point));
  }
}
