/** An error with its stack and its causes, for debugging. */
export function inFull(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.stack ?? error.message, ...causesOf(error).map(inFull)].join('\ncaused by ');
}

/** An error and its causes in one line, for temporary failures. */
export function inBrief(error: unknown): string {
  const cause = causeInBrief(error);
  return cause === null ? String(error) : `${String(error)}, caused by ${cause}`;
}

/** The cause of an error, like {@link inBrief}; null if there is none. */
export function causeInBrief(error: unknown): string | null {
  const causes = error instanceof Error ? causesOf(error) : [];
  return causes.length === 0 ? null : causes.map(inBrief).join(', caused by ');
}

function causesOf(error: Error): readonly unknown[] {
  if (error instanceof AggregateError) return error.errors;
  return error.cause === undefined ? [] : [error.cause];
}
