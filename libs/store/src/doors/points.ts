/** Series and their points: chunks, tails, rollups, tensors and blobs. */
export { readSessionStarts, type StoredSessionStart } from '../queries/read-session-starts.ts';
export {
  moveSeriesCounts,
  readFileWallTimes,
  readSeriesWithPoints,
  recountMismatched,
  remarkValues,
  removeFilePoints,
  requestRemark,
  settleRemark,
} from '../queries/remark-run.ts';
export { countRepairs, requestRepair } from '../queries/request-repair.ts';
export { insertSeries, nameHash, readRunSeries, seriesKey, type StoredSeries } from '../queries/run-series.ts';
export { addSeriesStats, refreshScalarStats, refreshValueStats, type SeriesStatsDelta } from '../queries/write-series-stats.ts';
export {
  copyBlobSequences,
  copyTensors,
  readFirstSteps,
  readValueHeads,
  supersedeValues,
  type ValueHead,
  type ValueTable,
} from '../queries/write-values.ts';
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
} from '../queries/scalar-chunks.ts';
export { type BucketPieces, type CellLevel, downsampleScalars } from '../queries/downsample-scalars.ts';
export { removeRollups, rollupRatio, rollUpSeries, type SeriesChange, shortenRollups } from '../queries/scalar-rollups.ts';
export { listSeriesToRollUp, noteSeriesToRollUp, settleSeriesToRollUp } from '../queries/series-to-roll-up.ts';
export { readRunsToRollUp } from '../queries/maintenance/read-runs-to-roll-up.ts';
export { listPlugins } from '../queries/list-plugins.ts';
export { listReaderSeries, type ReaderSeries, type ReaderSeriesFilter } from '../queries/list-reader-series.ts';
export { listScalarSeries, listScalarSeriesById, type ScalarSeries } from '../queries/list-scalar-series.ts';
export { type CellRange, largestCellStep, readCells } from '../queries/read-cells.ts';
export { listNotFiniteChunks, type NotFiniteChunk, readNotFiniteBodies } from '../queries/read-not-finite.ts';
export { type BodyRequest, readEffectiveBodies, type StoredBody } from '../queries/read-effective-bodies.ts';
export { readRunTails, readTailsOfSeries, type SeriesRange, type StoredTail } from '../queries/read-run-tails.ts';
export {
  deleteTail,
  insertTail,
  isRunFinished,
  readLastChunkSteps,
  readTailBlocks,
  readTailHeads,
  type TailHead,
} from '../queries/run-tail.ts';
export { type ChunkPlace, listChunkPlaces, listFilesInLogOrder, readBodiesAt } from '../queries/list-chunk-places.ts';
export { countBlobs } from '../queries/count-blobs.ts';
export { type BlobPlace, findBlob } from '../queries/find-blob.ts';
export { listValueSeries, type ValueSeries } from '../queries/list-value-series.ts';
export {
  countTensorBytes,
  type PickedBlobSequence,
  type PickedTensor,
  readBlobSequences,
  readTensors,
  type ValueRequest,
} from '../queries/read-values.ts';
export {
  clearSeriesStats,
  readSeriesChunks,
  readValuePlaces,
  refreshMaxLength,
  reviveValues,
  subtractMismatched,
  type ValuePlace,
} from '../queries/read-series-points.ts';
