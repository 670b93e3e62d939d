/** Deletion in the background, and what it removes. */
export { insertDeletion, type NewDeletion } from '../queries/deletion/insert-deletion.ts';
export {
  type Deletion,
  type DeletionProgress,
  listDeletions,
  readDeletion,
  readDeletionProgress,
} from '../queries/deletion/read-deletions.ts';
export {
  claimDeletion,
  type ClaimedDeletion,
  countRemoved,
  countRewritten,
  finishDeletion,
  leaveRun,
  noteDeletionFailure,
  renewDeletion,
} from '../queries/deletion/advance-deletion.ts';
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
} from '../queries/deletion/preview-deletion.ts';
export { findRuns, tombstoneRuns } from '../queries/deletion/tombstone-runs.ts';
export { insertObjectsToDelete, takeObjectsToDelete } from '../queries/deletion/objects-to-delete.ts';
export {
  listReferredBlobs,
  listReferredOriginals,
  listReferredSegments,
  listReferredTensors,
  type ListReferred,
  type ReferredObject,
  type ReferredPage,
} from '../queries/deletion/list-referred.ts';
export { lockContentObjects, readReferredObjects, shareContentObjects } from '../queries/deletion/referred-objects.ts';
export {
  blankProblems,
  clearRunFacts,
  clearRunSession,
  listDoomedSeries,
  removeChunks,
  type RemovedRows,
  removeSeries,
  removeValues,
} from '../queries/deletion/remove-series.ts';
export {
  listRunFileIds,
  listRunIds,
  removeFiles,
  removePendingSegments,
  removeRun,
  removeSegments,
} from '../queries/deletion/remove-run.ts';
export { listExperimentIds, removeExperimentRow } from '../queries/deletion/remove-experiment.ts';
export {
  readWorkspace,
  removeWorkspaceRows,
  tombstoneExperiments,
  tombstoneWorkspace,
  updateWorkspace,
} from '../queries/deletion/remove-workspace.ts';
