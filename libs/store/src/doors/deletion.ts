/** Background deletion, and the data that it removes. */
export { insertDeletion, type NewDeletion } from '../queries/deletion/insert-deletion.ts';
export {
  type Deletion,
  type DeletionProgress,
  listDeletions,
  readDeletion,
  readDeletionProgress,
} from '../queries/deletion/read-deletions.ts';
export { claimDeletion, type ClaimedDeletion, renewDeletion } from '../queries/deletion/claim-deletion.ts';
export { countRemoved, countRewritten, leaveRun } from '../queries/deletion/count-removed.ts';
export { finishDeletion, noteDeletionFailure } from '../queries/deletion/finish-deletion.ts';
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
export { lockContentObjects, shareContentObjects } from '../queries/deletion/lock-content-objects.ts';
export { readReferredObjects } from '../queries/deletion/read-referred-objects.ts';
export { blankProblems, clearRunFacts, clearRunSession } from '../queries/deletion/clear-run-records.ts';
export { listDoomedSeries } from '../queries/deletion/list-doomed-series.ts';
export { removeChunks, type RemovedRows, removeValues } from '../queries/deletion/remove-points.ts';
export { removeSeries } from '../queries/deletion/remove-series.ts';
export { listRunFileIds } from '../queries/deletion/list-run-file-ids.ts';
export { listRunIds } from '../queries/deletion/list-run-ids.ts';
export { removeFiles } from '../queries/deletion/remove-files.ts';
export { removePendingSegments, removeSegments } from '../queries/deletion/remove-segments.ts';
export { removeRun } from '../queries/deletion/remove-run.ts';
export { listExperimentIds } from '../queries/deletion/list-experiment-ids.ts';
export { removeExperimentRow } from '../queries/deletion/remove-experiment.ts';
export { readWorkspace } from '../queries/deletion/read-workspace.ts';
export { removeWorkspaceRows } from '../queries/deletion/remove-workspace.ts';
export { tombstoneExperiments, tombstoneWorkspace } from '../queries/deletion/tombstone-workspace.ts';
export { updateWorkspace } from '../queries/deletion/update-workspace.ts';
