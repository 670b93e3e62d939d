export { crc32cDigest, crc32cHex } from './crc32c-text.ts';
export type { DataClass } from './data-class.ts';
export { dataClasses } from './data-class.ts';
export {
  type ExperimentId,
  type FileId,
  isExperimentId,
  isFileId,
  isRunId,
  isSeriesId,
  isTenantId,
  parseExperimentId,
  parseRunId,
  parseTenantId,
  type RunId,
  type SeriesId,
  type TenantId,
} from './ids.ts';
export { limits } from './limits.ts';
export type { RunName, SeriesName, TagName } from './names.ts';
export type { DtypeName } from './dtype-name.ts';
export { visibilities, type Visibility } from './visibility.ts';
export { Problem, type ProblemCode, problemCodes, type Quota } from './problem.ts';
export type { PointColumns } from './point-columns.ts';
export { emptyPoints } from './point-columns.ts';
export type {
  BlobSequenceValue,
  FileBatch,
  FileProblem,
  LoggedStatus,
  RunFacts,
  RunRecord,
  RunStatus,
  SeriesBatch,
  SeriesMeta,
  SessionStart,
  TensorValue,
} from './file-batch.ts';
export { type FileProblemReason, fileProblemReasons, hasReason } from './problem-reason.ts';
export { type RunState, runStates } from './run-state.ts';
export { compareLogOrder } from './log-order.ts';
export { largestQuota, type QuotaName, quotaNames, type Quotas, quotaWarningShare, type StoredQuota, storedQuotas } from './quotas.ts';
export { isLogName, logNamePattern, logsTag, rankOfLog, seesLogs } from './log-name.ts';
export { isPart, seenNames, seesSeries, seesTag, type View } from './view.ts';
export { guardFormula } from './guard-formula.ts';
export { tableFloat } from './table-float.ts';
export { isUploadOrigin, nameOfLogdir, uploadOrigin } from './upload-origin.ts';
export { seededRandom } from './seeded-random.ts';
export { halfToNumber } from './half.ts';
export { bfloatToNumber, float8Names, float8ToNumber } from './small-floats.ts';
