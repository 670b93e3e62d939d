export { migrate, migrationsFolder, readMigrations, SchemaMismatch, type MigrateOptions, type Migration } from './migrator.ts';
export { prepareDatabase, type PrepareDatabaseOptions } from './prepare-database.ts';
export { Store, type IngestTransaction, type StoreOptions, type TenantTransaction, type TransactionOptions } from './store.ts';
export { isTransient, mapStoreError } from './store-error.ts';
export { BinaryCopyWriter } from './binary-copy.ts';
export { copyFrom } from './copy-from.ts';
export { claimRun, type ClaimedRun } from './queries/claim-run.ts';
export { readRunFiles, type RunFile } from './queries/read-run-files.ts';
export { readSessionStarts, type StoredSessionStart } from './queries/read-session-starts.ts';
export { insertSeries, nameHash, readRunSeries, seriesKey, type StoredSeries } from './queries/run-series.ts';
export { settleSegments } from './queries/settle-segments.ts';
export { writeFileProblems, writeFileProgress, writeSessionStarts, type FileProgressUpdate } from './queries/write-file-progress.ts';
export { writeRunState, type RunStateUpdate } from './queries/write-run-state.ts';
export { addSeriesStats, refreshScalarStats, refreshValueStats, type SeriesStatsDelta } from './queries/write-series-stats.ts';
export {
  copyBlobSequences,
  copyTensors,
  readFirstSteps,
  readValueHeads,
  supersedeValues,
  type BlobSequenceRow,
  type TensorRow,
  type ValueCut,
  type ValueHead,
} from './queries/write-values.ts';
export { readPendingRuns, type PendingRun } from './queries/maintenance/read-pending-runs.ts';
