import { runToEnd } from '#admission';

/**
 * How long a result may be reused. Revoked credentials must stop working within five seconds; the
 * rest of that time is for requests that were just admitted.
 */
const maxAgeMs = 3_000;
const maxCached = 10_000;

/** Caches results for at most 3 seconds, including "nobody". Errors are not cached. */
export class BriefCache<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { response: Promise<T>; until: number }>();

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(key: string, look: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const kept = this.#kept.get(key);
    if (kept && kept.until > now) return kept.response;
    const response = runToEnd(look); // others wait for it, too
    this.#kept.delete(key);
    this.#kept.set(key, { response, until: now + maxAgeMs });
    response.catch(() => this.#kept.delete(key)); // an error is not cached; waiting callers get it
    if (this.#kept.size > maxCached) this.#kept.delete(this.#kept.keys().next().value!); // the oldest: entries are in order of insertion
    return response;
  }

  /** Drops a result before it expires, because it is known to be wrong. */
  delete(key: string): void {
    this.#kept.delete(key);
  }
}
