export { decodeBody, encodeBody } from './body.ts';
export { BucketBuilder, type BucketColumns, bucketBounds, bucketIndex } from './buckets.ts';
export { type ChunkBody, CorruptChunkError, maxChunkPoints, type Ordinals } from './chunk.ts';
export { type ChunkDraft, type ChunkHead, type ChunkKey, headOf } from './chunk-draft.ts';
export { constantStride } from './int64-column.ts';
export { concatPoints, inLogOrder, lastOrdinal, lowerBound, newPoints, ordinalAt, slicePoints } from './point-slices.ts';
export { markSession, rises } from './mark-session.ts';
export { markSessions, type SessionSteps } from './mark-sessions.ts';
export { type PlacedDraft, remarkSeries } from './remark-series.ts';
export { markSuperseded, type RestartMarks, type SessionCut } from './restart-rule.ts';
export { type CellPoints, type Cells, rollup, rollups } from './rollup.ts';
export {
  type BatchStart,
  cutSeries,
  flipInPlacePoints,
  type PointBatch,
  type PreparedUpdate,
  type SeriesCut,
  type SeriesUpdate,
  settledPoints,
  updateSeries,
} from './series-update.ts';
export { removeSteps, type StepRange, type WholeChunk } from './remove-steps.ts';
export {
  type DecodedSeries,
  decodeStoredSeries,
  encodeStoredSeries,
  plainPiece,
  type StoredPiece,
  type StoredSeries,
} from './stored-series.ts';
export { type ChunkSummary, summarize } from './summary.ts';
export { decodeTail, encodeTail, maxTailBytes, mergeTails, type TailEntry } from './tail.ts';
export { encodeTailParts, type TailPart } from './tail-parts.ts';
export { compareWriters, oneAfterAnother, writerOrder, type WriterFile, type WriterOrder } from './writers.ts';
