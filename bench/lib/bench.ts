import type { Report } from './report.ts';

/** A benchmark for `npm run -s bench -- NAME`. */
export interface Bench {
  readonly name: string;
  /** One-line description for the list of benches. */
  readonly summary: string;
  /** Flags with their defaults; all values are strings. */
  readonly flags: Readonly<Record<string, Flag>>;
  run(context: BenchContext): Promise<Report>;
}

export interface Flag {
  readonly default: number | boolean;
  readonly help: string;
}

export interface BenchContext {
  number(flag: string): number;
  on(flag: string): boolean;
  /** Prints progress to stderr. */
  say(line: string): void;
}
