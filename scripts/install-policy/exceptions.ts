/** A known critical vulnerability that is accepted until a date, because it does not affect us. */
export interface Exception {
  /** `GHSA-…`, the name in the audit. */
  readonly advisory: string;
  /** The last day, `2026-11-21`. Look for a fix by then. */
  readonly until: string;
  readonly because: string;
}

/** Current exceptions. Each expires at most 90 days after the day it is added. */
export const exceptions: readonly Exception[] = [];
