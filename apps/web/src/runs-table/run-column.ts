/** A column of the table of runs. */
export interface RunColumn {
  /**
   * `state`, `started`, `h:lr`, `m:val/loss` (last value), `min:val/loss`, `min_step:val/loss`,
   * `at:100:val/loss` and the like.
   */
  readonly key: string;
  /** As a title, unescaped. */
  readonly name: string;
  readonly kind: 'state' | 'time' | 'duration' | 'count' | 'hparam' | 'metric' | 'text';
  /** The statistic of the tag that it shows. */
  readonly of?: 'last' | 'min' | 'max' | 'min_step' | 'max_step' | 'at';
  /** Its field in the API; absent if every run includes it, or for the last step. */
  readonly field?: string;
  /** The key of its condition in the address; absent if it cannot be filtered. */
  readonly where?: string;
  /** Whether all runs have the same value. */
  readonly constant?: boolean;
}
