import { appendFileSync } from 'node:fs';

/** What a client knows of an append: it was acknowledged, it was refused, or the answer never came. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** One append as its client saw it. */
export interface AckEntry {
  readonly fileId: string;
  readonly offset: number;
  readonly length: number;
  /** Of the bytes that the client meant to send. */
  readonly sha256: string;
  readonly outcome: Outcome;
  /** HTTP status, or the error of the connection. */
  readonly status: number | string;
  /** What the answer promised: the file is durable up to here. */
  readonly durableOffset: number | null;
  readonly epoch: number | null;
  /** When to try again, as the answer says it. */
  readonly retryAfter: string | null;
  /** As performance.now(), when it was sent. */
  readonly sentAt: number;
  /** When its end was known, in milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
}

/** A promise of the server's that a later answer took back. */
export interface Decrease {
  readonly fileId: string;
  readonly from: number;
  readonly to: number;
  /** The request whose answer it was. */
  readonly by: string;
}

/** The acknowledgement log: kept by the clients, beside the system that is tested, and believed by the checker. */
export class AckLog {
  readonly entries: AckEntry[] = [];
  readonly decreases: Decrease[] = [];
  readonly #promised = new Map<string, number>();
  readonly #file: string | null;

  /** `file`: each entry is also written there, a line of JSON each. */
  constructor(file: string | null = null) {
    this.#file = file;
  }

  add(entry: AckEntry): void {
    this.entries.push(entry);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  /** Notes an offset that any answer named. Offsets of one file are asked for one after another, so none may be below an earlier one. */
  promise(fileId: string, offset: number, by: string): void {
    const before = this.#promised.get(fileId) ?? 0;
    if (offset < before) this.decreases.push({ fileId, from: before, to: offset, by });
    this.#promised.set(fileId, Math.max(before, offset));
  }

  /** The highest offset that was promised for a file. */
  promised(fileId: string): number {
    return this.#promised.get(fileId) ?? 0;
  }

  /** How many appends ended in which way. */
  count(outcome: Outcome): number {
    return this.entries.reduce((sum, entry) => sum + (entry.outcome === outcome ? 1 : 0), 0);
  }

  /** Statuses and how often each came, most frequent first. */
  statuses(): [status: number | string, count: number][] {
    const counts = new Map<number | string, number>();
    for (const { status } of this.entries) counts.set(status, (counts.get(status) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }
}
