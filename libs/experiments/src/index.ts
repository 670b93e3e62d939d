export { forbidden, frozen, noSuchExperiment, requireExperiment, requireExperimentId, requireWithin } from './access.ts';
export { type Actor, audit, type AuditAction, auditActions, type AuditLine, auditRefusal, auditService } from './audit.ts';
export { type Action, decide, isForVisitors, rules, type Target, type Verdict } from './permissions.ts';
export { changeExperiment } from './change-experiment.ts';
export { changeSavedView, deleteSavedView, findSavedViews, saveView, type SavedViewRequest } from './saved-views.ts';
export { changeRuns } from './change-runs.ts';
export { checkText } from './experiment-names.ts';
export { createExperiment, type ExperimentRequest } from './create-experiment.ts';
export { makeSnapshot, type SnapshotRequest } from './snapshot.ts';
export { parseFilter } from './filter.ts';
export { newestFirst, parseExperimentOrder, parseFields, parseOrderBy } from './order-by.ts';
export { cutPage, numberAfter, type Page, type PageRequest, readPage, staleToken, uuidAfter } from './page-token.ts';
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
