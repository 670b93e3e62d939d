import { lacksRight } from '#store';

/** Where a {@link FailureLog} writes. */
export interface FailureLines {
  warn(line: string): void;
  error(line: string): void;
}

/** A reason is said again after this long: nobody reads a log of last week. */
const forgetAfterMs = 3_600_000;

/**
 * Says what could not be done. What the database does not permit is said once an hour for each reason: it stays so until somebody grants it, and the work is
 * tried several times a second meanwhile.
 */
export class FailureLog {
  readonly #lines: FailureLines;
  readonly #now: () => number;
  /** When each reason was said last. */
  readonly #told = new Map<string, number>();

  /** `now`: milliseconds of a clock that does not jump. */
  constructor(lines: FailureLines, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#now = now;
  }

  /** `what`: what could not be done; `text`: the error as it is written. */
  tell(what: string, error: unknown, text: (error: unknown) => string): void {
    const reason = denialIn(error);
    if (reason === null) return this.#lines.warn(`${what}: ${text(error)}`);
    const now = this.#now();
    if (now - (this.#told.get(reason) ?? -Infinity) < forgetAfterMs) return;
    this.#told.set(reason, now);
    const remedy = brokenPolicy.test(reason)
      ? 'No table grant is missing: the row belongs to another tenant than the transaction, or the role has lost BYPASSRLS'
      : 'It is retried until the role has that grant; "npm run migrate" gives it';
    this.#lines.error(`${what}: ${reason}. ${remedy}; this is logged once an hour.`);
  }
}

/** Postgres gives the same SQLSTATE when a row is not as a policy of row level security wants it. */
const brokenPolicy = /row-level security policy/;

/** What Postgres says of the missing right; null when nothing in the error is about one. */
function denialIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && error.code === lacksRight) return error.message;
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return causes.map(denialIn).find((reason) => reason !== null) ?? null;
}
