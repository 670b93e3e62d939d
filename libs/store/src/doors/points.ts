/** Series and their points: chunks, tails, rollups, tensors and blobs. */
export { readSessionStarts, type StoredSessionStart } from '../queries/points/read-session-starts.ts';
export {
  moveSeriesCounts,
  readFileWallTimes,
  readSeriesWithPoints,
  recountMismatched,
  remarkValues,
  removeFilePoints,
  requestRemark,
  settleRemark,
} from '../queries/points/remark-run.ts';
export { countRepairs, requestRepair } from '../queries/points/request-repair.ts';
export { insertSeries, nameHash, readRunSeries, seriesKey, type StoredSeries } from '../queries/points/run-series.ts';
export { addSeriesStats, refreshScalarStats, refreshValueStats, type SeriesStatsDelta } from '../queries/points/write-series-stats.ts';
export {
  copyBlobSequences,
  copyTensors,
  readFirstSteps,
  readValueHeads,
  supersedeValues,
  type ValueHead,
  type ValueTable,
} from '../queries/points/write-values.ts';
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
} from '../queries/points/scalar-chunks.ts';
export { type BucketPieces, type CellLevel, downsampleScalars } from '../queries/points/downsample-scalars.ts';
export { removeRollups, rollupRatio, rollUpSeries, type SeriesChange, shortenRollups } from '../queries/points/scalar-rollups.ts';
export { listSeriesToRollUp, noteSeriesToRollUp, settleSeriesToRollUp } from '../queries/points/series-to-roll-up.ts';
export { readRunsToRollUp } from '../queries/maintenance/read-runs-to-roll-up.ts';
export { listPlugins } from '../queries/points/list-plugins.ts';
export { listReaderSeries, type ReaderSeries, type ReaderSeriesFilter } from '../queries/points/list-reader-series.ts';
export { listScalarSeries, listScalarSeriesById, type ScalarSeries } from '../queries/points/list-scalar-series.ts';
export { type CellRange, largestCellStep, readCells } from '../queries/points/read-cells.ts';
export { haveOtherWriters } from '../queries/points/have-other-writers.ts';
export { listNotFiniteChunks, type NotFiniteChunk, readNotFiniteBodies } from '../queries/points/read-not-finite.ts';
export {
  type ChunkAt,
  type Extreme,
  listChunksAt,
  listSeriesOfTags,
  readBodiesOf,
  readExtremes,
  type RunSeries,
} from '../queries/points/points-at.ts';
export { type BodyRequest, readEffectiveBodies, type StoredBody } from '../queries/points/read-effective-bodies.ts';
export { readRunTails, readTailsOfSeries, type SeriesRange, type StoredTail } from '../queries/points/read-run-tails.ts';
export {
  deleteTail,
  insertTail,
  isRunFinished,
  readLastChunkSteps,
  readTailBlocks,
  readTailHeads,
  type TailHead,
} from '../queries/points/run-tail.ts';
export { type ChunkPlace, listChunkPlaces, listFilesInLogOrder, readBodiesAt } from '../queries/points/list-chunk-places.ts';
export { countBlobs } from '../queries/points/count-blobs.ts';
export { type BlobPlace, findBlob } from '../queries/points/find-blob.ts';
export { listValueSeries, type ValueSeries } from '../queries/points/list-value-series.ts';
export {
  countTensorBytes,
  type PickedBlobSequence,
  type PickedTensor,
  readBlobSequences,
  readTensors,
  type ValueRequest,
} from '../queries/points/read-values.ts';
export {
  clearSeriesStats,
  readSeriesChunks,
  readValuePlaces,
  refreshMaxLength,
  reviveValues,
  subtractMismatched,
  type ValuePlace,
} from '../queries/points/read-series-points.ts';
