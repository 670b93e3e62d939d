export { forbidden, frozen, noSuchExperiment, requireExperiment, requireExperimentId, requireWithin } from './access.ts';
export { type Actor, audit, type AuditLine, auditRejection, auditService } from './audit.ts';
export { type Action, decide, isForVisitors, rules } from './permissions.ts';
export { changeExperiment } from './change-experiment.ts';
export { changeSavedView, deleteSavedView, findSavedViews, saveView } from './saved-views.ts';
export { findCitedExperiments, requireShareable } from './cited-experiments.ts';
export { changeReport, createReport, deleteReport, findReport, findReports, viewReport } from './reports.ts';
export { changeRuns } from './change-runs.ts';
export { checkText } from './experiment-names.ts';
export { createExperiment } from './create-experiment.ts';
export { makeSnapshot, type SnapshotRequest } from './snapshot.ts';
export { parseFilter } from './filter.ts';
export { newestFirst, parseExperimentOrder, parseFields, parseOrderBy } from './order-by.ts';
export { cutPage, idAfter, readPage, staleToken, uuidAfter } from './page-token.ts';
export {
  type DeletionRequest,
  findDeletion,
  findDeletions,
  removeExperiment,
  removeWorkspace,
  requestDeletion,
  selectDoomed,
  requireOwner,
} from './request-deletion.ts';
export { noSuchName, requireNames } from './require-names.ts';
