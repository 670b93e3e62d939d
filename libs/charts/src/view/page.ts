import { type Fields, flag, nameOrNull, names } from './field.ts';

/** Maximum number of compared experiments: each is requested separately. */
export const maxCompared = 5;

/** The subject of the page. */
export interface PageView {
  /** Ids of other experiments whose runs are shown together with this experiment's runs. */
  readonly compare: readonly string[];
  /** The run whose page is shown, by its name in the address; null for the experiment's page. */
  readonly about: string | null;
  /** Whether to show only charts, for a frame in another page. */
  readonly embed: boolean;
}

export const pageFields: Fields<PageView> = {
  compare: names('compare', maxCompared),
  about: nameOrNull('about'),
  embed: flag('embed'),
};
