export { decodeBody, encodeBody } from './body.ts';
export { BucketBuilder, bucketBounds, bucketIndex } from './buckets.ts';
export { type ChunkBody, CorruptChunkError, maxChunkPoints } from './chunk.ts';
export { type ChunkDraft, type ChunkHead, type ChunkKey, headOf } from './chunk-draft.ts';

export { concatPoints, inLogOrder, lowerBound, newPoints, ordinalAt, slicePoints } from './point-slices.ts';
export { rises } from './mark-session.ts';
export { markSessions } from './mark-sessions.ts';
export { remarkSeries } from './remark-series.ts';
export { markSuperseded } from './restart-rule.ts';
export { type Cells, rollups } from './rollup.ts';
export {
  type BatchStart,
  cutSeries,
  flipInPlacePoints,
  type PointBatch,
  type PreparedUpdate,
  type SeriesCut,
  settledPoints,
  updateSeries,
} from './series-update.ts';
export { removeSteps, type StepRange } from './remove-steps.ts';
export { decodeStoredSeries, encodeStoredSeries, plainPiece, type StoredPiece, type StoredSeries } from './stored-series.ts';

export { decodeTail, encodeTail, mergeTails, type TailEntry } from './tail.ts';
export { encodeTailParts } from './tail-parts.ts';
export { compareWriters, oneAfterAnother, writerOrder, type WriterOrder } from './writers.ts';
