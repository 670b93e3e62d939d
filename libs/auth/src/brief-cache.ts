/** How long an answer may be used again. What was revoked stops working within five seconds; the rest of them is for what was just let in to be done. */
const maxAgeMs = 3_000;
const maxCached = 10_000;

/** Keeps answers for at most 3 seconds, also "nobody". Failures are not kept. */
export class BriefCache<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { answer: Promise<T>; until: number }>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(key: string, look: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const kept = this.#kept.get(key);
    if (kept && kept.until > now) return kept.answer;
    const answer = look();
    this.#kept.delete(key);
    this.#kept.set(key, { answer, until: now + maxAgeMs });
    answer.catch(() => this.#kept.delete(key)); // a failure is not an answer; who waits for it sees it
    if (this.#kept.size > maxCached) this.#kept.delete(this.#kept.keys().next().value!); // the oldest: entries are in order of insertion
    return answer;
  }

  /** Keeps no answer any more: it is known to be wrong, and need not wait until it is old. */
  delete(key: string): void {
    this.#kept.delete(key);
  }
}
