/** What was acknowledged and what of it is pending: files, segments, originals, and the work on them. */
export { claimRun } from '../queries/claim-run.ts';
export { readRunFiles, type RunFile } from '../queries/read-run-files.ts';
export { settleSegments, type FileSegments } from '../queries/settle-segments.ts';
export {
  writeFileProblems,
  writeCountsFrom,
  writeFileProgress,
  writeFilesAsWriters,
  writeSessionStarts,
  type FileProgressUpdate,
} from '../queries/write-file-progress.ts';
export { findLogEntry, insertLogEntries, listLogs, readLog, readLogEnd, type LogEntry, type StoredLog } from '../queries/log-index.ts';
export { readPendingBytes } from '../queries/maintenance/read-pending-bytes.ts';
export { readPendingRuns, readRunsWithOldTails, type PendingRun } from '../queries/maintenance/read-pending-runs.ts';
export {
  clearRunFailures,
  endFiles,
  lostReason,
  quarantineRecord,
  readingFailsReason,
  readRunFailures,
  writeRunFailure,
  type RunFailures,
} from '../queries/write-run-work.ts';
export { type Reopened, reopenFiles } from '../queries/reopen-files.ts';
export { addStoredBytes } from '../queries/add-stored-bytes.ts';
export { advanceEpoch, readAcknowledgedEpoch, readLastAcknowledgement } from '../queries/advance-epoch.ts';
export { completeFile, readLastEpoch } from '../queries/complete-file.ts';
export { ensureRun, runDeleted } from '../queries/ensure-run.ts';
export { insertFile } from '../queries/insert-file.ts';
export { deleteSegmentsBefore, hasPendingSegments, hasUnreadBytes, setOriginal } from '../queries/join-segments.ts';
export { lockFiles, readFile, type LedgerFile } from '../queries/read-files.ts';
export { readFileVersions, type FileVersion } from '../queries/read-file-versions.ts';
export { readOverlaps, readRangesFrom, type SegmentRange } from '../queries/read-ranges.ts';
export { readSegments, type StoredSegment } from '../queries/read-segments.ts';
export {
  advanceFiles,
  insertPendingSegments,
  insertSegments,
  stampSegments,
  type NewSegment,
  type StoredBytes,
} from '../queries/write-segments.ts';
export { readSegmentChecksums } from '../queries/read-segment-checksums.ts';
export { readFilesToJoin, type FileToJoin } from '../queries/maintenance/read-files-to-join.ts';
export { countProblems, countProblemsUpTo, listProblems, type ProblemPlace, type StoredProblem } from '../queries/list-problems.ts';
export { type PendingTotals, readPendingTotals } from '../queries/maintenance/read-pending-totals.ts';
export { claimSweep } from '../queries/maintenance/claim-sweep.ts';
export { findLostRange, keepLostRanges, listLostFiles, type LossReason, writeLostRanges } from '../queries/lost-ranges.ts';
export { forgetRunFailures, holdRun, lockRun, releaseRun } from '../queries/hold-run.ts';
export {
  readFileProgress,
  readSegmentEnd,
  type ReadProgress,
  setDropped,
  setRewritten,
  takeSegmentsBefore,
} from '../queries/drop-original.ts';
export { readOldOriginals } from '../queries/read-old-originals.ts';
export { readTenantsWithOldOriginals } from '../queries/maintenance/read-tenants-with-old-originals.ts';
