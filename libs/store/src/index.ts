export { distribute, hasDistributedTables, NotDistributable, triedVersions, withOwnerLogin } from './distribute.ts';
export { migrate, migrationsFolder, readMigrations, SchemaMismatch, type MigrateOptions, type Migration } from './migrator.ts';
export { prepareDatabase, type PrepareDatabaseOptions } from './prepare-database.ts';
export { Store, type StoreOptions, type TransactionOptions } from './store.ts';
export type { AnyScope, IngestScope, OperatorScope, Snapshot, TenantScope } from './scope.ts';
export type { ServiceRole } from './service-roles.ts';
export { DatabaseClock } from './database-clock.ts';
export { lacksRight } from './shut-out.ts';
export { isTransient, mapStoreError, refusalOfText } from './store-error.ts';
export { BinaryCopyWriter } from './binary-copy.ts';
export { copyFrom } from './copy-from.ts';
export { claimRun, type ClaimedRun } from './queries/claim-run.ts';
export { readRunFiles, type RunFile } from './queries/read-run-files.ts';
export { readSessionStarts, type StoredSessionStart } from './queries/read-session-starts.ts';
export {
  moveSeriesCounts,
  readFileWallTimes,
  readSeriesWithPoints,
  recountMismatched,
  type RemarkedValue,
  remarkValues,
  removeFilePoints,
  requestRemark,
  settleRemark,
} from './queries/remark-run.ts';
export { countRepairs, requestRepair } from './queries/request-repair.ts';
export { insertSeries, nameHash, readRunSeries, seriesKey, type StoredSeries } from './queries/run-series.ts';
export { settleSegments, type FileSegments } from './queries/settle-segments.ts';
export { tellSettled } from './queries/tell-progress.ts';
export {
  writeFileProblems,
  writeCountsFrom,
  writeFileProgress,
  writeFilesAsWriters,
  writeSessionStarts,
  type FileAsWriter,
  type FileProgressUpdate,
} from './queries/write-file-progress.ts';
export { runFactsTag } from './queries/view-sql.ts';
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
} from './queries/export-jobs.ts';
export { readTenantsWithExpiredExports, readWaitingExports, type WaitingExport } from './queries/maintenance/read-export-work.ts';
export { writeRunFacts } from './queries/write-run-facts.ts';
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
  type ValueTable,
} from './queries/write-values.ts';
export { readPendingBytes, type PendingOfTenant } from './queries/maintenance/read-pending-bytes.ts';
export { readPendingRuns, readRunsWithOldTails, type PendingRun } from './queries/maintenance/read-pending-runs.ts';
export { frontierChannel, notifyFrontier } from './queries/notify-frontier.ts';
export { listRunsBehind, type RunBehind, type WhyBehind } from './queries/list-runs-behind.ts';
export { rebuildWorker } from './queries/drop-pending.ts';
export {
  batchesCounted,
  dropBatches,
  forgetWorkers,
  insertLostView,
  type LedgerState,
  type LockedView,
  lockProgressView,
  saveProgressView,
  takeBatches,
  takeLedgerState,
} from './queries/progress-view.ts';
export { readQuietExperiments, readUnheardExperiments, type UnheardExperiment } from './queries/maintenance/read-unheard.ts';
export {
  clearRunFailures,
  endFiles,
  type FileEnd,
  lostReason,
  quarantinedReason,
  quarantineRecord,
  readingFailsReason,
  readRunFailures,
  writeRunFailure,
  type RunFailure,
  type RunFailures,
} from './queries/write-run-work.ts';
export {
  endBrowserSession,
  endBrowserSessionsOf,
  insertBrowserSession,
  listBrowserSessions,
  moveBrowserSession,
  readBrowserSession,
  type SessionSummary,
} from './queries/browser-sessions.ts';
export { countCodeAttempt, forgiveCodeAttempt } from './queries/code-attempts.ts';
export { decideDeviceCode, type DeviceRequest, insertDeviceCode, pollDeviceCode, readDeviceCode } from './queries/device-codes.ts';
export { insertOidcAttempt, type OidcAttempt, takeOidcAttempt } from './queries/oidc-attempts.ts';
export {
  type IdentityKey,
  insertPersonIdentity,
  listIdentityIssuers,
  lockPersonIdentity,
  noteIdentityUse,
  readPersonIdentity,
  removeNewPerson,
} from './queries/person-identities.ts';
export { claimIdempotencyKey, saveIdempotentAnswer, type EarlierAnswer } from './queries/idempotency-keys.ts';
export { insertAccessToken, type NewAccessToken } from './queries/insert-access-token.ts';
export { type Maker, noMaker } from './queries/maker.ts';
export { type AccessTokenSummary, countAccessTokens, listAccessTokens, type TokenPage } from './queries/list-access-tokens.ts';
export { holdAccessToken, readTokenOwner, revokeAccessToken } from './queries/revoke-access-token.ts';
export {
  insertSavedView,
  listSavedViews,
  lockSavedViews,
  type NewSavedView,
  readSavedView,
  removeSavedView,
  type SavedView,
  type SavedViewChanges,
  updateSavedView,
} from './queries/saved-views.ts';
export { insertShareLink, type NewShareLink } from './queries/insert-share-link.ts';
export { insertShareRoute } from './queries/insert-share-route.ts';
export { listShareLinks, type ShareLinkSummary } from './queries/list-share-links.ts';
export { readExperimentRoute } from './queries/read-experiment-route.ts';
export { type ExperimentTotals, readExperimentTotals } from './queries/read-experiment-totals.ts';
export { readShareLink, type ValidShareLink } from './queries/read-share-link.ts';
export { readShareLinkOwner, revokeShareLink } from './queries/revoke-share-link.ts';
export { readShareRoute } from './queries/read-share-route.ts';
export { type Reopened, reopenFiles } from './queries/reopen-files.ts';
export { copyExperiment, type ExperimentCopy } from './queries/copy-experiment.ts';
export { insertPerson } from './queries/insert-person.ts';
export { insertTokenRoute } from './queries/insert-token-route.ts';
export { countFounded, noteFounder } from './queries/founded-workspaces.ts';
export { insertMember, insertWorkspace } from './queries/insert-workspace.ts';
export { useAccessToken, type ValidToken } from './queries/use-access-token.ts';
export { insertServiceAccount, listServiceAccounts, removeServiceAccount, type ServiceAccount } from './queries/service-accounts.ts';
export {
  insertSigningKey,
  type NewSigningKey,
  readSigningKeys,
  removeOldSigningKeys,
  type StoredSigningKey,
} from './queries/signing-keys.ts';
export { useWorkloadIdentity } from './queries/use-workload-identity.ts';
export {
  insertWorkloadIdentity,
  listWorkloadIdentities,
  type NewWorkloadIdentity,
  removeWorkloadIdentity,
  type WorkloadIdentity,
} from './queries/workload-identities.ts';
export { readIdentity, type Identity } from './queries/read-identity.ts';
export { readMember } from './queries/read-member.ts';
export { readMemberRole } from './queries/read-member-role.ts';
export { readOwner } from './queries/read-owner.ts';
export { readWatchedStates } from './queries/read-watched-states.ts';
export { readTenantsWithTokens } from './queries/read-tenants-with-tokens.ts';
export { readTokenRoute } from './queries/read-token-route.ts';
export { insertSignInLink, useSignInLink } from './queries/sign-in-links.ts';
export { addStoredBytes } from './queries/add-stored-bytes.ts';
export { advanceEpoch, readAcknowledgedEpoch } from './queries/advance-epoch.ts';
export { completeFile, readLastEpoch } from './queries/complete-file.ts';
export { ensureRun, runDeleted } from './queries/ensure-run.ts';
export { insertFile } from './queries/insert-file.ts';
export { insertUploaderRequest } from './queries/uploader-requests.ts';
export {
  bytesOfSequence,
  closeUploaderSequence,
  type KnownUploaderBlob,
  listOpenUploaderSequences,
  openUploaderSequence,
  putUploaderBlob,
  readHeldBlobs,
  readUploaderBlob,
  readUploaderBodies,
  readUploaderSequence,
  type SequencePlace,
  type UploaderBlob,
  type UploaderSequence,
} from './queries/uploader-sequences.ts';
export { deleteSegmentsBefore, hasPendingSegments, hasUnreadBytes, setOriginal } from './queries/join-segments.ts';
export { lockFiles, readFile, type LedgerFile } from './queries/read-files.ts';
export { readFileVersions, type FileVersion } from './queries/read-file-versions.ts';
export { readOverlaps, readRangesFrom, type SegmentRange } from './queries/read-ranges.ts';
export { readSegments, type StoredSegment } from './queries/read-segments.ts';
export {
  advanceFiles,
  insertPendingSegments,
  insertSegments,
  stampSegments,
  type NewSegment,
  type StoredBytes,
} from './queries/write-segments.ts';
export {
  chunkName,
  copyChunks,
  countFilePoints,
  deleteChunks,
  flipChunks,
  readChunkBodies,
  readChunkHeads,
  type ChunkName,
  type ChunkRow,
  type StoredChunkHead,
} from './queries/scalar-chunks.ts';
export { type BucketPieces, type BucketRange, type CellLevel, downsampleScalars } from './queries/downsample-scalars.ts';
export { removeRollups, rollupRatio, rollUpSeries, type SeriesChange, shortenRollups } from './queries/scalar-rollups.ts';
export { listSeriesToRollUp, noteSeriesToRollUp, settleSeriesToRollUp } from './queries/series-to-roll-up.ts';
export { readRunsToRollUp } from './queries/maintenance/read-runs-to-roll-up.ts';
export { readSettledEpoch } from './queries/read-settled-epoch.ts';
export { type AskedNames, missingNames } from './queries/missing-names.ts';
export { listPlugins } from './queries/list-plugins.ts';
export { listReaderSeries, type ReaderSeries, type ReaderSeriesFilter } from './queries/list-reader-series.ts';
export { listScalarSeries, type ScalarSeries, type ScalarSeriesFilter } from './queries/list-scalar-series.ts';
export { type CellRange, largestCellStep, readCells } from './queries/read-cells.ts';
export { listNotFiniteChunks, type NotFiniteChunk, type NotFiniteRange, readNotFiniteBodies } from './queries/read-not-finite.ts';
export { type BodyRequest, readEffectiveBodies, type StoredBody } from './queries/read-effective-bodies.ts';
export { type Frontier, readFrontier } from './queries/read-frontier.ts';
export { readRunTails, readTailsOfSeries, type SeriesRange, type StoredTail } from './queries/read-run-tails.ts';
export {
  deleteTail,
  insertTail,
  isRunFinished,
  readLastChunkSteps,
  readTailBlocks,
  readTailHeads,
  type TailHead,
} from './queries/run-tail.ts';
export { readSegmentChecksums } from './queries/read-segment-checksums.ts';
export { readFilesToJoin, type FileToJoin, type FilesToJoin } from './queries/maintenance/read-files-to-join.ts';
export { deleteExperiment } from './queries/delete-experiment.ts';
export type { FieldKind, Filter, FilterOperator, ListField, ListFields, OrderKey } from './queries/filter-sql.ts';
export { findExperiment, type FoundExperiment } from './queries/find-experiment.ts';
export { insertExperiment, type NewExperiment } from './queries/insert-experiment.ts';
export {
  experimentFields,
  listExperiments,
  readExperiment,
  type ExperimentListRequest,
  type ExperimentSummary,
} from './queries/list-experiments.ts';
export { listFiles, type ExperimentFile } from './queries/list-files.ts';
export { countProblems, countProblemsUpTo, listProblems, type ProblemPlace, type StoredProblem } from './queries/list-problems.ts';
export {
  countSelectedRuns,
  type FieldRef,
  listRuns,
  runFields,
  type LiveStats,
  type RunListRequest,
  type RunSummary,
  type RunValue,
} from './queries/list-runs.ts';
export { listSeries, type SeriesListRequest, type SeriesSummary } from './queries/list-series.ts';
export { listTags, type TagSummary } from './queries/list-tags.ts';
export { ping } from './queries/ping.ts';
export { type PendingTotals, readPendingTotals } from './queries/maintenance/read-pending-totals.ts';
export { claimSweep } from './queries/maintenance/claim-sweep.ts';
export { updateRuns, type RunChanges } from './queries/update-runs.ts';
export { updateExperiment, type ExperimentChanges } from './queries/update-experiment.ts';
export { readLiveRunIds } from './queries/read-live-run-ids.ts';
export { type ChunkPlace, listChunkPlaces, listFilesInLogOrder, readBodiesAt } from './queries/list-chunk-places.ts';
export { listRunStates, type RunState } from './queries/list-run-states.ts';
export { countBlobs } from './queries/count-blobs.ts';
export { type BlobPlace, findBlob } from './queries/find-blob.ts';
export { listValueSeries, type ValueSeries } from './queries/list-value-series.ts';
export {
  countTensorBytes,
  type PickedBlobSequence,
  type PickedTensor,
  readBlobSequences,
  readTensors,
  type ValueRequest,
} from './queries/read-values.ts';
export { assertDurable } from './assert-durable.ts';
export { assertSignsIn, SignInFault } from './assert-signs-in.ts';
export { assertIsolated } from './assert-isolated.ts';
export { assertMigrated } from './assert-migrated.ts';
export { type DeletionKind, insertDeletion, type NewDeletion } from './queries/insert-deletion.ts';
export {
  type Deletion,
  type DeletionCounts,
  type DeletionProgress,
  listDeletions,
  readDeletion,
  readDeletionProgress,
} from './queries/read-deletions.ts';
export {
  claimDeletion,
  type ClaimedDeletion,
  countRemoved,
  countRewritten,
  finishDeletion,
  leaveRun,
  noteDeletionFailure,
  renewDeletion,
} from './queries/advance-deletion.ts';
export { readUnfinishedDeletions, type WaitingDeletion } from './queries/maintenance/read-unfinished-deletions.ts';
export {
  countKeptFiles,
  countRuns,
  countValues,
  countWholeChunks,
  type CutChunk,
  type DoomedSelection,
  listSelectedSeries,
  readCutChunks,
  type RunTotals,
} from './queries/preview-deletion.ts';
export { findRuns, tombstoneRuns } from './queries/tombstone-runs.ts';
export { insertObjectsToDelete, type ObjectToDelete, takeObjectsToDelete } from './queries/objects-to-delete.ts';
export { findLostRange, keepLostRanges, type LossReason, type LostRange, writeLostRanges } from './queries/lost-ranges.ts';
export {
  listReferredBlobs,
  listReferredOriginals,
  listReferredSegments,
  listReferredTensors,
  type ListReferred,
  type ReferredObject,
  type ReferredPage,
} from './queries/list-referred.ts';
export { lockContentObjects, readReferredObjects, shareContentObjects } from './queries/referred-objects.ts';
export { forgetRunFailures, holdRun, type HoldOutcome, lockRun, releaseRun } from './queries/hold-run.ts';
export {
  blankProblems,
  clearRunFacts,
  clearRunSession,
  type DoomedPoints,
  listDoomedSeries,
  removeChunks,
  type RemovedRows,
  removeSeries,
  removeValues,
} from './queries/remove-series.ts';
export {
  listRunFileIds,
  listRunIds,
  removeFiles,
  removePendingSegments,
  removeRun,
  removeSegments,
  type RemovedFile,
} from './queries/remove-run.ts';
export { listExperimentIds, removeExperimentRow } from './queries/remove-experiment.ts';
export {
  readWorkspace,
  removeWorkspaceRows,
  tombstoneExperiments,
  tombstoneWorkspace,
  updateWorkspace,
  type WorkspaceSettings,
} from './queries/remove-workspace.ts';
export {
  clearSeriesStats,
  readSeriesChunks,
  readValuePlaces,
  refreshMaxLength,
  reviveValues,
  subtractMismatched,
  type ValuePlace,
} from './queries/read-series-points.ts';
export {
  readFileProgress,
  readSegmentEnd,
  type ReadProgress,
  type RewrittenBytes,
  setDropped,
  setRewritten,
  takeSegmentsBefore,
} from './queries/drop-original.ts';
export { readOldOriginals } from './queries/read-old-originals.ts';
export { readTenantsWithOldOriginals } from './queries/maintenance/read-tenants-with-old-originals.ts';
export { claimSnapshot } from './queries/claim-snapshot.ts';
export { claimMaintenance } from './queries/claim-maintenance.ts';
export { lockMembers } from './queries/lock-members.ts';
export { listMembers, type Member } from './queries/list-members.ts';
export { countOwners } from './queries/count-owners.ts';
export { removeMemberRow, updateMemberRole } from './queries/change-member.ts';
export {
  insertInvitation,
  listOpenInvitations,
  type OpenInvitation,
  readInvitationRoute,
  revokeInvitationRow,
  useInvitation,
} from './queries/invitations.ts';
export { readPersonWorkspaces } from './queries/person-workspaces.ts';
export { erasePersonInWorkspace, erasePersonRow, readPerson } from './queries/erase-person.ts';
export {
  type PersonalRow,
  readPersonExperiments,
  readPersonIdentities,
  readPersonInvitations,
  readPersonSessions,
  readPersonSavedViews,
  readPersonShareLinks,
  readPersonTokens,
} from './queries/export-person.ts';
export {
  type AuditEntry,
  type AuditFilter,
  insertAuditEntry,
  listAuditEntries,
  type NewAuditEntry,
  removeOldAuditEntries,
} from './queries/audit-entries.ts';
export { readTenantsWithOldAudit } from './queries/maintenance/read-tenants-with-old-audit.ts';
export { subtractRunUsage } from './queries/subtract-run-usage.ts';
export { countExperimentsToAdd, readUsage, type Usage } from './queries/read-usage.ts';
export { readWorkspaceLimits, type Suspension, type SuspensionMode, type WorkspaceLimits } from './queries/read-workspace-limits.ts';
export { readTenantsWithExpiredRows } from './queries/maintenance/read-tenants-with-expired-rows.ts';
export { removeExpiredSignIns, removeIdempotencyKeys, removeUploaderRequests } from './queries/remove-expired.ts';
export { listWorkspaces, type WorkspaceLine } from './queries/maintenance/list-workspaces.ts';
export { Operator } from './operator.ts';
export { type LimitsChange, listLimitsChanges, type StoredLimitsChange, writeWorkspaceLimits } from './queries/write-workspace-limits.ts';
