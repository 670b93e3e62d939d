import { type Fields, flag, names, oneOf, single, text } from './field.ts';

/**
 * The band around the mean of a group of runs: no mean at all, one standard deviation, all
 * values, or the 95 % interval of the mean.
 */
export const spreads = ['', 'std', 'minmax', 'ci'] as const;
export type Spread = (typeof spreads)[number];

/** The run list: its order, its groups and their colors, and which runs it contains. */
export interface RunListView {
  /**
   * Runs in one group have one color: `regex:…` (what it captures) or `hparam:NAME`. If empty, each
   * run has its own color.
   */
  readonly colorGroup: string;
  /** Whether a group is drawn as its mean, and what is drawn around it. */
  readonly spread: Spread;
  /**
   * The order of the run list: empty (by start), `name`, or `last`, `min` or `max` with a tag after
   * a colon; `-` in front reverses it.
   */
  readonly runSort: string;
  /**
   * Conditions that shown runs meet, in addition to the name filter; see `readConditions` in
   * apps/web.
   */
  readonly where: readonly string[];
  /** Whether archived runs are also listed and shown. */
  readonly archived: boolean;
  /** How many minutes a running run can be silent before it counts as stalled. */
  readonly stalledAfter: number;
}

const plainStalledAfter = 10;

export const runListFields: Fields<RunListView> = {
  colorGroup: text('runColorGroup'),
  spread: oneOf('spread', spreads),
  runSort: text('runSort'),
  where: names('where'),
  archived: flag('archived'),
  stalledAfter: single('stalledAfter', plainStalledAfter, (value) => readMinutes(value ?? '')),
};

/** Parses a whole number of minutes, at least 1; returns the default for anything else. */
function readMinutes(value: string): number {
  return /^[1-9][0-9]{0,5}$/.test(value) ? Number(value) : plainStalledAfter;
}
