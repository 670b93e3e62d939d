import { limits, Problem, type View } from '#model';
import { maxStep, minStep } from './steps.ts';

/** How the points of a series become an answer (api.md, "Scalars query"). */
export const samplings = ['minmax', 'raw', 'last', 'random', 'tail'] as const;
export type Sampling = (typeof samplings)[number];

/** Which series and steps. Null lists: all; empty lists: none. Steps are inclusive on both ends; null: where the data ends. */
export interface SeriesSelection {
  readonly experimentId: string;
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly plugin: string | null;
  readonly unlisted: boolean;
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** What the asker may see; null: all. */
  readonly view: View | null;
}

/** A request for scalars, checked. */
export interface ScalarRequest extends SeriesSelection {
  readonly sampling: Sampling;
  /** Most buckets or points of each series. */
  readonly points: number;
  /** `tag`: buckets are shared by the runs of a tag; `request`: by all series, for superimposed charts. */
  readonly align: 'tag' | 'request';
  /** `minmax`: `log` makes buckets that are equally wide on a logarithmic axis of steps; as told nothing, they have equally many steps. */
  readonly spacing?: 'linear' | 'log';
  /** `minmax`: weight of the past in the moving average that is added, 0 to below 1; none is added for 0. */
  readonly smoothing?: number;
  /** `random`: the same seed gives the same points. */
  readonly seed: string;
  /** `raw`: also the superseded points, all in log order. */
  readonly superseded: boolean;
  /** `raw`: points in a page. */
  readonly pageSize: number;
  readonly pageToken: string | null;
}

/** The asked range, with the ends of int64 where none was asked. */
export function stepRange(selection: Pick<SeriesSelection, 'from' | 'to'>): { from: bigint; to: bigint } {
  return { from: selection.from ?? minStep, to: selection.to ?? maxStep };
}

/** Refuses answers of more cells than the limit: runs × tags × points (seed 001). Known before any point is read. */
export function checkCells(series: number, points: number): void {
  if (series * points <= limits.maxAnswerCells) return;
  throw new Problem(
    'answer-too-large',
    `${series} series × ${points} points are more than the limit of ${limits.maxAnswerCells} cells per response. Request fewer runs or tags, or at most ${Math.max(1, Math.floor(limits.maxAnswerCells / series))} points.`,
    { extra: { series, points, max_cells: limits.maxAnswerCells } },
  );
}
