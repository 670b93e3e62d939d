/** Times of a {@link QueueAbsence}, in milliseconds. */
export interface QueueAbsenceTimes {
  /** Without a connection for so long, Redis is away; with one for so long, it is back. */
  readonly awayMs: number;
  /** After a refusal, what is in the queue may not come out for so long. */
  readonly refusedMs: number;
}

/**
 * Whether the queue is of use now: from what its owner saw of the connection, and of refusals. A Redis that comes and goes is away until a
 * connection has lasted, since what is given to it is lost with the next crash.
 */
export class QueueAbsence {
  readonly #times: QueueAbsenceTimes;
  readonly #now: () => number;
  /** Since when no connection has lasted. */
  #absentSince: number | null = null;
  /** When the connection of now was made; null: there is none. */
  #connectedAt: number | null = null;
  #refusedAt = -Infinity;

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(times: QueueAbsenceTimes, now: () => number = () => performance.now()) {
    this.#times = times;
    this.#now = now;
  }

  /** A connection has just been made; the one before it has ended. */
  connected(): void {
    this.#beginAbsence();
    this.#connectedAt = this.#now();
  }

  /** There is no connection at this moment. */
  disconnected(): void {
    this.#beginAbsence();
    this.#connectedAt = null;
  }

  /** Redis has refused something: for want of memory, of disk, or because it is a replica. */
  refused(): void {
    this.#refusedAt = this.#now();
  }

  /** Whether Redis has refused something a moment ago. */
  isRefusing(): boolean {
    return this.#now() - this.#refusedAt < this.#times.refusedMs;
  }

  /** Whether no connection has lasted, for however short a time. */
  isUnsteady(): boolean {
    return this.#absentSince !== null && !this.#hasLasted();
  }

  /** Whether what there is to do is better done without the queue. */
  isAway(): boolean {
    return this.isRefusing() || (this.isUnsteady() && (this.#connectedAt ?? this.#now()) - this.#absentSince! >= this.#times.awayMs);
  }

  /** In how many milliseconds a connection that comes, or stays, or does not come, makes a difference; null: nothing changes by waiting. */
  leftMs(): number | null {
    if (!this.isUnsteady()) return null;
    const left = (this.#connectedAt ?? this.#absentSince!) + this.#times.awayMs - this.#now();
    return left > 0 ? left : null;
  }

  #beginAbsence(): void {
    if (!this.isUnsteady()) this.#absentSince = this.#now();
  }

  #hasLasted(): boolean {
    return this.#connectedAt !== null && this.#now() - this.#connectedAt >= this.#times.awayMs;
  }
}
