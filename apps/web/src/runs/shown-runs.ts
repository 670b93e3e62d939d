import { isListed, isShown, type View } from '#charts';
import type { RunJson } from '../api/types.ts';
import { readConditions } from './conditions.ts';
import { needsSeries, runsMeeting } from './run-attributes.ts';
import type { SeriesStats } from './use-series.ts';

/** The part of the view that determines which runs are listed and shown. */
export type RunsView = Pick<View, 'runFilter' | 'onlyRuns' | 'hiddenRuns' | 'where' | 'archived' | 'stalledAfter'>;

/**
 * Which runs pass the filter and the conditions, and which of those are drawn. Archived runs do not
 * pass unless the view includes them.
 */
export interface ShownRuns {
  readonly listed: readonly string[];
  readonly shown: readonly string[];
}

/**
 * `series`: the last values, if they are known; see {@link wantsSeries}. `now`: in ms since 1970.
 */
export function shownRuns(view: RunsView, runs: readonly RunJson[], series?: readonly SeriesStats[], now = Date.now()): ShownRuns {
  const conditions = readConditions(view.where);
  const meeting = conditions.size === 0 ? null : runsMeeting(conditions, runs, series, { now, stalledAfter: view.stalledAfter });
  const matches = isListed(view);
  const listed = runs
    .filter(({ run, archived }) => (view.archived || !archived) && matches(run) && (meeting === null || meeting.has(run)))
    .map(({ run }) => run);
  return { listed, shown: listed.filter(isShown(view)) };
}

/** Whether the selection requires last values. */
export function wantsSeries({ where }: Pick<View, 'where'>): boolean {
  return needsSeries(readConditions(where));
}

/** Whether time alone changes which runs are shown. */
export function wantsClock({ where }: Pick<View, 'where'>): boolean {
  return readConditions(where).has('status');
}
