/** Snapshots, citations and export jobs. */
export {
  claimExport,
  type ExportProgress,
  failExport,
  finishExport,
  releaseExport,
  renewExport,
} from '../queries/snapshots/claim-export.ts';
export { countUnfinishedExports } from '../queries/snapshots/count-unfinished-exports.ts';
export { expireExports, removeExpiredExports } from '../queries/snapshots/expire-exports.ts';
export type { ExportJob, ExportState } from '../queries/snapshots/export-job.ts';
export { findExportJob, findExportOfContent } from '../queries/snapshots/find-export-job.ts';
export { insertExportJob, lockExports, type NewExportJob } from '../queries/snapshots/insert-export-job.ts';
export { listExportJobs } from '../queries/snapshots/list-export-jobs.ts';
export { readReferredSnapshots } from '../queries/snapshots/read-referred-snapshots.ts';
export { claimCitation, finishCitation, renewCitation } from '../queries/snapshots/claim-citation.ts';
export { countSnapshotsOf } from '../queries/snapshots/count-snapshots.ts';
export { findCitation, type StoredCitation } from '../queries/snapshots/find-citation.ts';
export { insertCitation } from '../queries/snapshots/insert-citation.ts';
export { readWaitingCitations, type WaitingCitation } from '../queries/maintenance/read-citation-work.ts';
export { readTenantsWithExpiredExports, readWaitingExports, type WaitingExport } from '../queries/maintenance/read-export-work.ts';
export { copyExperiment } from '../queries/snapshots/copy-experiment.ts';
export { type CopiedLog, copyLogIndex, keepCopiedFile } from '../queries/snapshots/copy-logs.ts';
export { claimSnapshot } from '../queries/snapshots/claim-snapshot.ts';
