/** An error with its stack and what caused it, for those who look for a mistake. */
export function inFull(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.stack ?? error.message, ...causesOf(error).map(inFull)].join('\ncaused by ');
}

/** An error and what caused it in one line, for failures that pass by themselves. */
export function inBrief(error: unknown): string {
  const cause = causeInBrief(error);
  return cause === null ? String(error) : `${String(error)}, caused by ${cause}`;
}

/** What caused an error, as {@link inBrief}; null when nothing says so. */
export function causeInBrief(error: unknown): string | null {
  const causes = error instanceof Error ? causesOf(error) : [];
  return causes.length === 0 ? null : causes.map(inBrief).join(', caused by ');
}

function causesOf(error: Error): readonly unknown[] {
  if (error instanceof AggregateError) return error.errors;
  return error.cause === undefined ? [] : [error.cause];
}
