import { lessEqual, sameTime, timeText, type Timestamp } from './timestamp.ts';

/**
 * A set of times in which no element is at or below another. It represents a frontier. A time is
 * *beyond* it if some element is at or below the time. The empty antichain is the frontier of a
 * finished computation: no time is beyond it.
 *
 * ```ts
 * import { timestamp } from './timestamp.ts';
 *
 * const frontier = new Antichain([timestamp(3), timestamp(5)]);
 * assert.deepEqual(frontier.elements, [timestamp(3)]); // 3 implies 5
 * assert.ok(frontier.lessEqual(timestamp(4))); // 4 may still come
 * assert.ok(!frontier.lessEqual(timestamp(2))); // 2 is complete
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

  /**
   * Adds a time unless an element is at or below it, and removes elements at or above it. Returns
   * whether the time was added.
   */
  insert(time: Timestamp): boolean {
    if (this.lessEqual(time)) return false;
    this.#elements = this.#elements.filter((element) => !lessEqual(time, element));
    this.#elements.push(time);
    return true;
  }

  /**
   * Whether some element is at or below the time, i.e. whether this time or an earlier one may
   * still occur.
   */
  lessEqual(time: Timestamp): boolean {
    return this.#elements.some((element) => lessEqual(element, time));
  }

  /**
   * Whether every time beyond `later` is also beyond this antichain, i.e. whether this frontier is
   * not ahead of `later`.
   */
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
