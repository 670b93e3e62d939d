/** Where a {@link FailureLog} writes. */
export interface FailureLines {
  warn(line: string): void;
  error(line: string): void;
}

/** SQLSTATE insufficient_privilege. */
const denied = '42501';

/**
 * Says what could not be done. What the database does not permit is said once for each reason: it stays so until somebody grants it, and the work is tried
 * several times a second meanwhile.
 */
export class FailureLog {
  readonly #lines: FailureLines;
  readonly #told = new Set<string>();

  constructor(lines: FailureLines) {
    this.#lines = lines;
  }

  /** `what`: what could not be done; `text`: the error as it is written. */
  tell(what: string, error: unknown, text: (error: unknown) => string): void {
    const reason = denialIn(error);
    if (reason === null) return this.#lines.warn(`${what}: ${text(error)}`);
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#lines.error(
      `${what}: ${reason}. It is tried again until the role has that right, which "npm run migrate" gives; this is said once.`,
    );
  }
}

/** What Postgres says of the missing right; null when nothing in the error is about one. */
function denialIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && error.code === denied) return error.message;
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return causes.map(denialIn).find((reason) => reason !== null) ?? null;
}
