import type { ExperimentJson } from '../api/types.ts';
import type { HomeList } from './home-view.ts';

/** A page of the list of experiments, as returned by the API. */
export interface ExperimentsPage {
  readonly experiments: readonly ExperimentJson[];
  readonly next_page_token?: string;
  /** By how many ms the server's clock was ahead of the reader's. */
  readonly ahead: number;
}

/** The query key of a list of experiments. */
export function experimentsKey(
  { text, label, archived, starred, order, descending }: HomeList,
  stars: readonly string[] = [],
): readonly unknown[] {
  return ['experiments', text, label, archived, starred ? stars : null, order, descending];
}
