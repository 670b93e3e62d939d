/**
 * Acknowledged and pending data: files, segments, originals, and the work on
 * them.
 */
export { claimRun } from '../queries/ledger/claim-run.ts';
export { readRunFiles, type RunFile } from '../queries/ledger/read-run-files.ts';
export { settleSegments, type FileSegments } from '../queries/ledger/settle-segments.ts';
export {
  writeFileProblems,
  writeCountsFrom,
  writeFileProgress,
  writeFilesAsWriters,
  writeSessionStarts,
  type FileProgressUpdate,
} from '../queries/ledger/write-file-progress.ts';
export {
  findLogEntry,
  insertLogEntries,
  listLogs,
  readLog,
  readLogEnd,
  type LogEntry,
  type StoredLog,
} from '../queries/ledger/log-index.ts';
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
} from '../queries/ledger/write-run-work.ts';
export { type Reopened, reopenFiles } from '../queries/ledger/reopen-files.ts';
export { addStoredBytes } from '../queries/ledger/add-stored-bytes.ts';
export { advanceEpoch, readAcknowledgedEpoch, readLastAcknowledgement } from '../queries/ledger/advance-epoch.ts';
export { completeFile, readLastEpoch } from '../queries/ledger/complete-file.ts';
export { ensureRun, runDeleted } from '../queries/ledger/ensure-run.ts';
export { insertFile } from '../queries/ledger/insert-file.ts';
export { deleteSegmentsBefore, hasPendingSegments, hasUnreadBytes, setOriginal } from '../queries/ledger/join-segments.ts';
export { lockFiles, readFile, type LedgerFile } from '../queries/ledger/read-files.ts';
export { readFileVersions, type FileVersion } from '../queries/ledger/read-file-versions.ts';
export { readOverlaps, readRangesFrom, type SegmentRange } from '../queries/ledger/read-ranges.ts';
export { readSegments, type StoredSegment } from '../queries/ledger/read-segments.ts';
export {
  advanceFiles,
  insertPendingSegments,
  insertSegments,
  stampSegments,
  type NewSegment,
  type StoredBytes,
} from '../queries/ledger/write-segments.ts';
export { readLooseSegments, type SettledSegment, takeSegments } from '../queries/ledger/loose-segments.ts';
export { readSegmentChecksums } from '../queries/ledger/read-segment-checksums.ts';
export { readFilesToJoin, type FileToJoin } from '../queries/maintenance/read-files-to-join.ts';
export { countProblems, countProblemsUpTo, listProblems, type ProblemPlace, type StoredProblem } from '../queries/ledger/list-problems.ts';
export { type PendingTotals, readPendingTotals } from '../queries/maintenance/read-pending-totals.ts';
export { claimSweep } from '../queries/maintenance/claim-sweep.ts';
export { findLostRange, keepLostRanges, listLostFiles, type LossReason, writeLostRanges } from '../queries/ledger/lost-ranges.ts';
export { forgetRunFailures, holdRun, lockRun, releaseRun } from '../queries/ledger/hold-run.ts';
export {
  readFileProgress,
  readSegmentEnd,
  type ReadProgress,
  setDropped,
  setRewritten,
  takeSegmentsBefore,
} from '../queries/ledger/drop-original.ts';
export { readOldOriginals } from '../queries/ledger/read-old-originals.ts';
export { readTenantsWithOldOriginals } from '../queries/maintenance/read-tenants-with-old-originals.ts';
