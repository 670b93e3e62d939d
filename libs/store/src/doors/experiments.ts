/** Experiments, runs, series and saved views, as users list, filter and change them. */
export { runFactsTag } from '../queries/experiments/view-sql.ts';
export { writeRunFacts } from '../queries/experiments/write-run-facts.ts';
export { writeRunState, type RunStateUpdate } from '../queries/experiments/write-run-state.ts';
export { insertSavedView } from '../queries/experiments/insert-saved-view.ts';
export { listSavedViews, readSavedView, type SavedView } from '../queries/experiments/read-saved-views.ts';
export { lockSavedViews } from '../queries/experiments/lock-saved-views.ts';
export { removeSavedView } from '../queries/experiments/remove-saved-view.ts';
export { type SavedViewChanges, updateSavedView } from '../queries/experiments/update-saved-view.ts';
export { readExperimentRoute } from '../queries/experiments/read-experiment-route.ts';
export { type ExperimentTotals, readExperimentTotals } from '../queries/experiments/read-experiment-totals.ts';
export { readWatchedStates } from '../queries/experiments/read-watched-states.ts';
export { type AskedNames, missingNames } from '../queries/experiments/missing-names.ts';
export { type NewestRun, readNewestRuns } from '../queries/experiments/read-newest-runs.ts';
export { deleteExperiment } from '../queries/experiments/delete-experiment.ts';
export {
  type FieldKind,
  type FieldRef,
  type Filter,
  type FilterOperator,
  type ListField,
  type ListFields,
  type OrderKey,
  sameField,
} from '../queries/experiments/filter-sql.ts';
export { findExperiment } from '../queries/experiments/find-experiment.ts';
export { insertExperiment } from '../queries/experiments/insert-experiment.ts';
export { experimentFields, listExperiments, readExperiment, type ExperimentSummary } from '../queries/experiments/list-experiments.ts';
export { listFiles, type ExperimentFile } from '../queries/experiments/list-files.ts';
export { listRunPage, listRuns, type RunSummary, type RunValue } from '../queries/experiments/list-runs.ts';
export { pointFields, runFields } from '../queries/experiments/run-fields.ts';
export type { LiveStats } from '../queries/experiments/series-value-sql.ts';
export type { PointValues } from '../queries/experiments/tag-values.ts';
export { listSeries, type SeriesListRequest, type SeriesSummary } from '../queries/experiments/list-series.ts';
export { listTags, type TagSummary } from '../queries/experiments/list-tags.ts';
export { updateRuns, type RunChanges } from '../queries/experiments/update-runs.ts';
export { updateExperiment, type ExperimentChanges } from '../queries/experiments/update-experiment.ts';
export { readLiveRunIds } from '../queries/experiments/read-live-run-ids.ts';
export { listRunStates, type WatchedRun } from '../queries/experiments/list-run-states.ts';
