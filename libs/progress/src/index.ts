export { Antichain } from './antichain.ts';
export { type Change, ChangeBatch } from './change-batch.ts';
export { DataflowGraph, GraphBuilder, GraphFault, type Location } from './dataflow-graph.ts';
export {
  acknowledgedChanges,
  ChannelFault,
  hearBatches,
  type Heard,
  isOutstanding,
  ledgerChanges,
  noProgress,
  receiveWorker,
  runWorker,
  settledChanges,
  type WrittenBatch,
  type WrittenChange,
} from './ingest-channel.ts';
export { ingestGraph, type IngestGraph } from './ingest-graph.ts';
export { ProgressTracker } from './progress-tracker.ts';
export { BatchGap, type ProgressBatch, ProgressView, type SavedView } from './progress-view.ts';
export { lessEqual, sameTime, timestamp, timeText, type Timestamp } from './timestamp.ts';
