/** Series and their points: chunks, tails, rollups, tensors and blobs. */
export { readSessionStarts, type StoredSessionStart } from '../queries/points/read-session-starts.ts';
export { moveSeriesCounts, recountMismatched } from '../queries/points/move-series-counts.ts';
export { readFileWallTimes } from '../queries/points/read-file-wall-times.ts';
export { readSeriesWithPoints } from '../queries/points/read-series-with-points.ts';
export { remarkValues } from '../queries/points/remark-values.ts';
export { removeFilePoints } from '../queries/points/remove-file-points.ts';
export { requestRemark, settleRemark } from '../queries/points/request-remark.ts';
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
export { chunkName, type ChunkName } from '../queries/points/chunk-name.ts';
export { copyChunks, type ChunkRow } from '../queries/points/copy-chunks.ts';
export { countFilePoints } from '../queries/points/count-file-points.ts';
export { deleteChunks } from '../queries/points/delete-chunks.ts';
export { flipChunks } from '../queries/points/flip-chunks.ts';
export { readChunkBodies } from '../queries/points/read-chunk-bodies.ts';
export { readChunkHeads, type StoredChunkHead } from '../queries/points/read-chunk-heads.ts';
export { type BucketPieces, type CellLevel, downsampleScalars } from '../queries/points/downsample-scalars.ts';
export { removeRollups, type SeriesChange, shortenRollups } from '../queries/points/shorten-rollups.ts';
export { rollupRatio, rollUpSeries } from '../queries/points/roll-up-series.ts';
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
export { deleteTail } from '../queries/points/delete-tail.ts';
export { insertTail } from '../queries/points/insert-tail.ts';
export { isRunFinished } from '../queries/points/is-run-finished.ts';
export { readLastChunkSteps, readTailBlocks, readTailHeads, type TailHead } from '../queries/points/read-tail.ts';
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
export { clearSeriesStats, refreshMaxLength, subtractMismatched } from '../queries/points/clear-series-stats.ts';
export { readSeriesChunks } from '../queries/points/read-series-chunks.ts';
export { readValuePlaces, reviveValues, type ValuePlace } from '../queries/points/revive-values.ts';
