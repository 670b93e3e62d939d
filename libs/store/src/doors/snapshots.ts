/** Snapshots, citations and export jobs. */
export {
  claimExport,
  countUnfinishedExports,
  expireExports,
  type ExportJob,
  type ExportProgress,
  type ExportState,
  failExport,
  findExportJob,
  findExportOfContent,
  finishExport,
  insertExportJob,
  listExportJobs,
  lockExports,
  type NewExportJob,
  readReferredSnapshots,
  releaseExport,
  removeExpiredExports,
  renewExport,
} from '../queries/snapshots/export-jobs.ts';
export {
  claimCitation,
  countSnapshotsOf,
  findCitation,
  finishCitation,
  insertCitation,
  renewCitation,
  type StoredCitation,
} from '../queries/snapshots/citations.ts';
export { readWaitingCitations, type WaitingCitation } from '../queries/maintenance/read-citation-work.ts';
export { readTenantsWithExpiredExports, readWaitingExports, type WaitingExport } from '../queries/maintenance/read-export-work.ts';
export { copyExperiment } from '../queries/snapshots/copy-experiment.ts';
export { type CopiedLog, copyLogIndex, keepCopiedFile } from '../queries/snapshots/copy-logs.ts';
export { claimSnapshot } from '../queries/snapshots/claim-snapshot.ts';
