import { type ExperimentId, limits, Problem, type RunName, type TagName, type View } from '#model';
import { maxStep, minStep } from './steps.ts';

/** How the points of a series are sampled for a response (api.md, "Scalars query"). */
export const samplings = ['minmax', 'raw', 'last', 'random', 'tail'] as const;
export type Sampling = (typeof samplings)[number];

/**
 * Selects series and steps. Null lists select everything, empty lists nothing. Steps are inclusive
 * at both ends; null means the end of the data.
 */
export interface SeriesSelection {
  readonly experimentId: ExperimentId;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  readonly plugin: string | null;
  readonly unlisted: boolean;
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** The caller's view; null for all. */
  readonly view: View | null;
}

/** A validated request for scalars. */
export interface ScalarRequest extends SeriesSelection {
  readonly sampling: Sampling;
  /** Maximum number of buckets or points per series. */
  readonly points: number;
  /** `tag`: the runs of a tag share buckets; `request`: all series do, for superimposed charts. */
  readonly align: 'tag' | 'request';
  /**
   * `minmax`: with `log`, buckets have equal width on a logarithmic step axis; by default, they
   * have an equal number of steps.
   */
  readonly spacing?: 'linear' | 'log';
  /** `minmax`: weight of the past in the added moving average, from 0 to below 1; 0 adds none. */
  readonly smoothing?: number;
  /** `minmax`: the tag whose values at the entries are added as `x`; null or absent for none. */
  readonly x?: string | null;
  /**
   * `minmax`: an expression over tags; the response contains the values of the expression instead
   * of tag values. Null or absent for none.
   */
  readonly formula?: string | null;
  /** `random`: the same seed gives the same points. */
  readonly seed: string;
  /** `raw`: whether to include superseded points, all in log order. */
  readonly superseded: boolean;
  /** `raw`: points per page. */
  readonly pageSize: number;
  readonly pageToken: string | null;
}

/** The part of a request that determines its buckets. */
export type BucketRequest = Pick<ScalarRequest, 'from' | 'to' | 'points' | 'align' | 'spacing'>;

/** The requested range, with the ends of int64 where none was requested. */
export function stepRange(selection: Pick<SeriesSelection, 'from' | 'to'>): { from: bigint; to: bigint } {
  return { from: selection.from ?? minStep, to: selection.to ?? maxStep };
}

/**
 * Rejects responses with more cells than the limit: runs × tags × points (seed 001). Checked before
 * any point is read.
 */
export function checkCells(series: number, points: number): void {
  if (series * points <= limits.maxAnswerCells) return;
  throw new Problem(
    'answer-too-large',
    `${series} series × ${points} points are more than the limit of ${limits.maxAnswerCells} cells per response. Request fewer runs or tags, or at most ${Math.max(1, Math.floor(limits.maxAnswerCells / series))} points.`,
    { extra: { series, points, max_cells: limits.maxAnswerCells } },
  );
}
