import { lessEqual, sameTime, timeText, type Timestamp } from './timestamp.ts';

/**
 * Times of which none is at or below another: what a frontier is made of. A time is *beyond* it when some element is at or below it. The
 * empty antichain is the frontier of what is finished: nothing is beyond it.
 *
 * ```ts
 * const frontier = new Antichain([timestamp(3), timestamp(5)]);
 * frontier.elements;                 // [3]: 5 says nothing that 3 does not say
 * frontier.lessEqual(timestamp(4));  // true: 4 may still come
 * frontier.lessEqual(timestamp(2));  // false: 2 is complete
 * ```
 */
export class Antichain {
  #elements: Timestamp[] = [];

  constructor(times: Iterable<Timestamp> = []) {
    for (const time of times) this.insert(time);
  }

  get elements(): readonly Timestamp[] {
    return this.#elements;
  }

  get isEmpty(): boolean {
    return this.#elements.length === 0;
  }

  /** Adds a time unless an element is at or below it; elements at or above it go. Whether it was added. */
  insert(time: Timestamp): boolean {
    if (this.lessEqual(time)) return false;
    this.#elements = this.#elements.filter((element) => !lessEqual(time, element));
    this.#elements.push(time);
    return true;
  }

  /** Whether some element is at or below the time: it, or something before it, may still come. */
  lessEqual(time: Timestamp): boolean {
    return this.#elements.some((element) => lessEqual(element, time));
  }

  /** Whether every time beyond `later` is beyond this one: this frontier has not got further than that. */
  precedes(later: Antichain): boolean {
    return later.#elements.every((element) => this.lessEqual(element));
  }

  equals(other: Antichain): boolean {
    return (
      this.#elements.length === other.#elements.length &&
      this.#elements.every((element) => other.#elements.some((candidate) => sameTime(element, candidate)))
    );
  }

  toString(): string {
    return `{${this.#elements.map(timeText).join(', ')}}`;
  }
}
