/** A known critical vulnerability that is accepted until a day, because it does not reach us. */
export interface Exception {
  /** `GHSA-…`, as the audit names it. */
  readonly advisory: string;
  /** The last day, `2026-11-21`: a fix is looked for again by then. */
  readonly until: string;
  readonly because: string;
}

/** Those that are accepted today. The day is at most 90 days ahead when it is written. */
export const exceptions: readonly Exception[] = [];
