import type { Report } from './report.ts';

/** A benchmark that `npm run -s bench -- NAME` runs. */
export interface Bench {
  readonly name: string;
  /** One line for the list. */
  readonly summary: string;
  /** Flags with their defaults; every value comes from the command line as text. */
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
  /** Progress, on stderr. */
  say(line: string): void;
}
