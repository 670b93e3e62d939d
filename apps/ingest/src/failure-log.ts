import { lacksRight } from '#store';

/** Where a {@link FailureLog} writes. */
export interface FailureLines {
  warn(line: string): void;
  error(line: string): void;
}

/** A reason is logged again after this time, because nobody reads old log lines. */
const forgetAfterMs = 3_600_000;

/**
 * Logs failures. A missing database privilege is logged once an hour per reason. It persists until
 * the privilege is granted, and until then the work is retried several times a second.
 */
export class FailureLog {
  readonly #lines: FailureLines;
  readonly #now: () => number;
  /** When each reason was last logged. */
  readonly #loggedAt = new Map<string, number>();

  /** `now` returns milliseconds on a monotonic clock. */
  constructor(lines: FailureLines, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#now = now;
  }

  /** `what` names the work that failed; `text` formats the error. */
  tell(what: string, error: unknown, text: (error: unknown) => string): void {
    const reason = denialIn(error);
    if (reason === null) return this.#lines.warn(`${what}: ${text(error)}`);
    const now = this.#now();
    if (now - (this.#loggedAt.get(reason) ?? -Infinity) < forgetAfterMs) return;
    this.#loggedAt.set(reason, now);
    const remedy = brokenPolicy.test(reason)
      ? 'No table grant is missing: the row and the transaction belong to different tenants, or the role has lost BYPASSRLS'
      : 'The work is retried until the role has that grant again (docs/runbook.md, PlotlineIngestFailures)';
    this.#lines.error(`${what}: ${reason}. ${remedy}; this is logged once an hour.`);
  }
}

/** Postgres uses the same SQLSTATE if a row violates a row-level security policy. */
const brokenPolicy = /row-level security policy/;

/** Postgres' message about the missing privilege. Null if the error has another cause. */
function denialIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && error.code === lacksRight) return error.message;
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return causes.map(denialIn).find((reason) => reason !== null) ?? null;
}
