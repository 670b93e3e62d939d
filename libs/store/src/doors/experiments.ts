/** Experiments, runs, series and saved views as users list, filter and change them. */
export { runFactsTag } from '../queries/view-sql.ts';
export { writeRunFacts } from '../queries/write-run-facts.ts';
export { writeRunState, type RunStateUpdate } from '../queries/write-run-state.ts';
export {
  insertSavedView,
  listSavedViews,
  lockSavedViews,
  readSavedView,
  removeSavedView,
  type SavedView,
  type SavedViewChanges,
  updateSavedView,
} from '../queries/saved-views.ts';
export { readExperimentRoute } from '../queries/read-experiment-route.ts';
export { type ExperimentTotals, readExperimentTotals } from '../queries/read-experiment-totals.ts';
export { readWatchedStates } from '../queries/read-watched-states.ts';
export { type AskedNames, missingNames } from '../queries/missing-names.ts';
export { type NewestRun, readNewestRuns } from '../queries/read-newest-runs.ts';
export { deleteExperiment } from '../queries/delete-experiment.ts';
export type { FieldKind, Filter, FilterOperator, ListField, ListFields, OrderKey } from '../queries/filter-sql.ts';
export { findExperiment } from '../queries/find-experiment.ts';
export { insertExperiment } from '../queries/insert-experiment.ts';
export { experimentFields, listExperiments, readExperiment, type ExperimentSummary } from '../queries/list-experiments.ts';
export { listFiles, type ExperimentFile } from '../queries/list-files.ts';
export { type FieldRef, listRunPage, listRuns, runFields, type LiveStats, type RunSummary } from '../queries/list-runs.ts';
export { listSeries, type SeriesListRequest, type SeriesSummary } from '../queries/list-series.ts';
export { listTags, type TagSummary } from '../queries/list-tags.ts';
export { updateRuns, type RunChanges } from '../queries/update-runs.ts';
export { updateExperiment, type ExperimentChanges } from '../queries/update-experiment.ts';
export { readLiveRunIds } from '../queries/read-live-run-ids.ts';
export { listRunStates, type RunState } from '../queries/list-run-states.ts';
