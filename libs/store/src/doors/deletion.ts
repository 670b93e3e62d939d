/** Deletion in the background, and what it removes. */
export { insertDeletion, type NewDeletion } from '../queries/insert-deletion.ts';
export { type Deletion, type DeletionProgress, listDeletions, readDeletion, readDeletionProgress } from '../queries/read-deletions.ts';
export {
  claimDeletion,
  type ClaimedDeletion,
  countRemoved,
  countRewritten,
  finishDeletion,
  leaveRun,
  noteDeletionFailure,
  renewDeletion,
} from '../queries/advance-deletion.ts';
export { readUnfinishedDeletions, type WaitingDeletion } from '../queries/maintenance/read-unfinished-deletions.ts';
export {
  countKeptFiles,
  countRuns,
  countValues,
  countWholeChunks,
  type DoomedSelection,
  listSelectedSeries,
  readCutChunks,
  type RunTotals,
} from '../queries/preview-deletion.ts';
export { findRuns, tombstoneRuns } from '../queries/tombstone-runs.ts';
export { insertObjectsToDelete, takeObjectsToDelete } from '../queries/objects-to-delete.ts';
export {
  listReferredBlobs,
  listReferredOriginals,
  listReferredSegments,
  listReferredTensors,
  type ListReferred,
  type ReferredObject,
  type ReferredPage,
} from '../queries/list-referred.ts';
export { lockContentObjects, readReferredObjects, shareContentObjects } from '../queries/referred-objects.ts';
export {
  blankProblems,
  clearRunFacts,
  clearRunSession,
  listDoomedSeries,
  removeChunks,
  type RemovedRows,
  removeSeries,
  removeValues,
} from '../queries/remove-series.ts';
export { listRunFileIds, listRunIds, removeFiles, removePendingSegments, removeRun, removeSegments } from '../queries/remove-run.ts';
export { listExperimentIds, removeExperimentRow } from '../queries/remove-experiment.ts';
export {
  readWorkspace,
  removeWorkspaceRows,
  tombstoneExperiments,
  tombstoneWorkspace,
  updateWorkspace,
} from '../queries/remove-workspace.ts';
