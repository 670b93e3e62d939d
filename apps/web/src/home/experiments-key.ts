import type { ExperimentJson } from '../api/types.ts';
import type { HomeView } from './home-view.ts';

/** A page of the list of experiments, as the API answers. */
export interface ExperimentsPage {
  readonly experiments: readonly ExperimentJson[];
  readonly next_page_token?: string;
}

/** The key by which a list of experiments is kept. */
export function experimentsKey({ text, label, archived, order, descending }: HomeView): readonly unknown[] {
  return ['experiments', text, label, archived, order, descending];
}
