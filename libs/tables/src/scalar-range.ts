import type { RunName, TagName } from '#model';

/** A range of one series, in columns of equal length. `superseded` is null unless requested. */
export interface ScalarRange {
  readonly run: RunName;
  readonly tag: TagName;
  /** The number of the run's writer (see api.md). */
  readonly writer: number;
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
  readonly superseded: readonly boolean[] | null;
}

/** The optional columns of the table. */
export interface TableColumns {
  readonly superseded: boolean;
  readonly writer: boolean;
}
