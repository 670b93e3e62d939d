/** A column of the run table. */
export interface RunColumn {
  /**
   * `state`, `started`, `h:lr`, `m:val/loss` (last value), `min:val/loss`, `min_step:val/loss`,
   * `at:100:val/loss` and the like.
   */
  readonly key: string;
  /** As a title, unescaped. */
  readonly name: string;
  readonly kind: 'state' | 'time' | 'duration' | 'count' | 'hparam' | 'metric' | 'text';
  /** The tag statistic that the column shows. */
  readonly of?: 'last' | 'min' | 'max' | 'min_step' | 'max_step' | 'at';
  /** The API field. Absent if every run includes the value, or for the last step. */
  readonly field?: string;
  /** The key of the column's condition in the URL. Absent if the column cannot be filtered. */
  readonly where?: string;
  /** Whether all runs have the same value. */
  readonly constant?: boolean;
}
