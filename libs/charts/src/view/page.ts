import { type Fields, flag, nameOrNull, names } from './field.ts';

/** Maximum compared experiments: each is requested separately. */
export const maxCompared = 5;

/** The subject of the page. */
export interface PageView {
  /** Ids of the experiments whose runs are shown together with those of this one. */
  readonly compare: readonly string[];
  /** The run whose page is shown, by its name in the address; null: the experiment. */
  readonly about: string | null;
  /** Charts alone, for a frame in another page. */
  readonly embed: boolean;
}

export const pageFields: Fields<PageView> = {
  compare: names('compare', maxCompared),
  about: nameOrNull('about'),
  embed: flag('embed'),
};
