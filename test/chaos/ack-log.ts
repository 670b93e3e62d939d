import { appendFileSync } from 'node:fs';

/** The outcome of an append as its client sees it: acknowledged, rejected, or no response. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** An append from its client's point of view. */
export interface AckEntry {
  readonly fileId: string;
  readonly offset: number;
  readonly length: number;
  /** SHA-256 of the bytes that the client meant to send. */
  readonly sha256: string;
  readonly outcome: Outcome;
  /** HTTP status, or the connection error. */
  readonly status: number | string;
  /** The durable offset that the response acknowledges. */
  readonly durableOffset: number | null;
  readonly epoch: number | null;
  /** The `Retry-After` header of the response. */
  readonly retryAfter: string | null;
  /** When it was sent, in the units of performance.now(). */
  readonly sentAt: number;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
}

/** A durable offset below the offset in an earlier response. */
export interface Decrease {
  readonly fileId: string;
  readonly from: number;
  readonly to: number;
  /** The request with the lower offset in its response. */
  readonly by: string;
}

/**
 * The acknowledgement log. The clients keep it outside the tested system, and the checker trusts
 * it.
 */
export class AckLog {
  readonly entries: AckEntry[] = [];
  readonly decreases: Decrease[] = [];
  readonly #promised = new Map<string, number>();
  readonly #file: string | null;

  /** `file`: where each entry is also appended as a line of JSON. */
  constructor(file: string | null = null) {
    this.#file = file;
  }

  add(entry: AckEntry): void {
    this.entries.push(entry);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /**
   * Records a durable offset from any response. The offsets of a file are requested one after
   * another, so none may be below an earlier offset.
   */
  promise(fileId: string, offset: number, by: string): void {
    const before = this.#promised.get(fileId) ?? 0;
    if (offset < before) this.decreases.push({ fileId, from: before, to: offset, by });
    this.#promised.set(fileId, Math.max(before, offset));
  }

  /** Returns the highest durable offset in any response for a file. */
  promised(fileId: string): number {
    return this.#promised.get(fileId) ?? 0;
  }

  /** Returns the number of appends with this outcome. */
  count(outcome: Outcome): number {
    return this.entries.reduce((sum, entry) => sum + (entry.outcome === outcome ? 1 : 0), 0);
  }

  /** Returns the statuses with their counts, most frequent first. */
  statuses(): [status: number | string, count: number][] {
    const counts = new Map<number | string, number>();
    for (const { status } of this.entries) counts.set(status, (counts.get(status) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }
}
