/** Acknowledged and pending data: files, segments and originals, and the work on them. */
export { claimRun } from '../queries/ledger/claim-run.ts';
export { readRunFiles, type RunFile } from '../queries/ledger/read-run-files.ts';
export { settleSegments, type FileSegments } from '../queries/ledger/settle-segments.ts';
export { writeFileProblems } from '../queries/ledger/write-file-problems.ts';
export { writeCountsFrom, writeFilesAsWriters } from '../queries/ledger/write-files-as-writers.ts';
export { writeFileProgress, type FileProgressUpdate } from '../queries/ledger/write-file-progress.ts';
export { writeSessionStarts } from '../queries/ledger/write-session-starts.ts';
export { findLogEntry } from '../queries/ledger/find-log-entry.ts';
export { insertLogEntries, readLogEnd, type LogEntry } from '../queries/ledger/insert-log-entries.ts';
export { listLogs, readLog, type StoredLog } from '../queries/ledger/list-logs.ts';
export { readPendingBytes } from '../queries/maintenance/read-pending-bytes.ts';
export { readPendingRuns, readRunsWithOldTails, type PendingRun } from '../queries/maintenance/read-pending-runs.ts';
export { clearRunFailures, readRunFailures, type RunFailures } from '../queries/ledger/read-run-failures.ts';
export { endFiles } from '../queries/ledger/end-files.ts';
export { lostReason, quarantineRecord, readingFailsReason } from '../queries/ledger/quarantine-record.ts';
export { writeRunFailure } from '../queries/ledger/write-run-failure.ts';
export { type Reopened, reopenFiles } from '../queries/ledger/reopen-files.ts';
export { addStoredBytes } from '../queries/ledger/add-stored-bytes.ts';
export { advanceEpoch, readAcknowledgedEpoch, readLastAcknowledgement } from '../queries/ledger/advance-epoch.ts';
export { completeFile, readLastEpoch } from '../queries/ledger/complete-file.ts';
export { ensureRun, runDeleted } from '../queries/ledger/ensure-run.ts';
export { insertFile } from '../queries/ledger/insert-file.ts';
export { deleteSegmentsBefore } from '../queries/ledger/delete-segments-before.ts';
export { hasPendingSegments, hasUnreadBytes } from '../queries/ledger/has-pending-segments.ts';
export { setOriginal } from '../queries/ledger/set-original.ts';
export { lockFiles, readFile, type LedgerFile } from '../queries/ledger/read-files.ts';
export { readFileVersions, type FileVersion } from '../queries/ledger/read-file-versions.ts';
export { readOverlaps, readRangesFrom, type SegmentRange } from '../queries/ledger/read-ranges.ts';
export { readSegments, type StoredSegment } from '../queries/ledger/read-segments.ts';
export { advanceFiles } from '../queries/ledger/advance-files.ts';
export {
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
export { findLostRange } from '../queries/ledger/find-lost-range.ts';
export { keepLostRanges, type LossReason, writeLostRanges } from '../queries/ledger/write-lost-ranges.ts';
export { listLostFiles } from '../queries/ledger/list-lost-files.ts';
export { forgetRunFailures, releaseRun } from '../queries/ledger/release-run.ts';
export { keepAwake } from '../queries/ledger/keep-awake.ts';
export { holdRun } from '../queries/ledger/hold-run.ts';
export { lockRun } from '../queries/ledger/lock-run.ts';
export { readFileProgress, readSegmentEnd, type ReadProgress } from '../queries/ledger/read-file-progress.ts';
export { setDropped } from '../queries/ledger/set-dropped.ts';
export { setRewritten } from '../queries/ledger/set-rewritten.ts';
export { takeSegmentsBefore } from '../queries/ledger/take-segments-before.ts';
export { readOldOriginals } from '../queries/ledger/read-old-originals.ts';
export { readTenantsWithOldOriginals } from '../queries/maintenance/read-tenants-with-old-originals.ts';
