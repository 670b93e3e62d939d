/** The times that a {@link QueueAbsence} uses, in milliseconds. */
export interface QueueAbsenceTimes {
  /**
   * If there is no connection for this long, Redis is down. If a connection lasts this long, Redis
   * is back.
   */
  readonly downMs: number;
  /** After a rejection, jobs in the queue may be stuck for this long. */
  readonly rejectedMs: number;
}

/**
 * Whether the queue is usable now, from the observed connections and rejections. A flapping Redis
 * counts as down until a connection lasts, because its next crash loses new jobs.
 */
export class QueueAbsence {
  readonly #times: QueueAbsenceTimes;
  readonly #now: () => number;
  /** The time since which no connection has lasted. */
  #absentSince: number | null = null;
  /** When the current connection was opened. Null if there is none. */
  #connectedAt: number | null = null;
  #rejectedAt = -Infinity;

  /** `now` returns the milliseconds of a monotonic clock. */
  constructor(times: QueueAbsenceTimes, now: () => number = () => performance.now()) {
    this.#times = times;
    this.#now = now;
  }

  /** Call when a connection opens; the previous one has ended. */
  connected(): void {
    this.#beginAbsence();
    this.#connectedAt = this.#now();
  }

  /** Call when there is no connection. */
  disconnected(): void {
    this.#beginAbsence();
    this.#connectedAt = null;
  }

  /** Call when Redis has rejected a command: out of memory, disk full, or a replica. */
  rejected(): void {
    this.#rejectedAt = this.#now();
  }

  /** Whether Redis has recently rejected a command. */
  isRejecting(): boolean {
    return this.#now() - this.#rejectedAt < this.#times.rejectedMs;
  }

  /** Whether there is currently no lasting connection, even for a short time. */
  isUnsteady(): boolean {
    return this.#absentSince !== null && !this.#hasLasted();
  }

  /** Whether to run jobs without the queue. */
  isDown(): boolean {
    return this.isRejecting() || (this.isUnsteady() && (this.#connectedAt ?? this.#now()) - this.#absentSince! >= this.#times.downMs);
  }

  /**
   * Milliseconds until the state may change if the connection does not. Null if the state does not
   * change with time alone.
   */
  leftMs(): number | null {
    if (!this.isUnsteady()) return null;
    const left = (this.#connectedAt ?? this.#absentSince!) + this.#times.downMs - this.#now();
    return left > 0 ? left : null;
  }

  #beginAbsence(): void {
    if (!this.isUnsteady()) this.#absentSince = this.#now();
  }

  #hasLasted(): boolean {
    return this.#connectedAt !== null && this.#now() - this.#connectedAt >= this.#times.downMs;
  }
}
