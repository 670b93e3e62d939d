export { GraphBuilder } from './dataflow-graph.ts';
export {
  acknowledgedChanges,
  ChannelFault,
  hearBatches,
  isOutstanding,
  ledgerChanges,
  noProgress,
  receiveWorker,
  runWorker,
  settledChanges,
  type WrittenBatch,
  type WrittenChange,
} from './ingest-channel.ts';
export { ingestGraph } from './ingest-graph.ts';
export { ProgressTracker } from './progress-tracker.ts';
export { BatchGap, ProgressView } from './progress-view.ts';
export { timestamp } from './timestamp.ts';
