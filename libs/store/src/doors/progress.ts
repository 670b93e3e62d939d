/** Progress batches, their view, and frontiers. */
export { tellSettled } from '../queries/tell-progress.ts';
export { frontierChannel, notifyFrontier } from '../queries/notify-frontier.ts';
export { listRunsBehind, type RunBehind } from '../queries/list-runs-behind.ts';
export { rebuildWorker } from '../queries/drop-pending.ts';
export {
  batchesCounted,
  dropBatches,
  forgetWorkers,
  insertLostView,
  type LockedView,
  lockProgressView,
  saveProgressView,
  takeBatches,
  takeLedgerState,
} from '../queries/progress-view.ts';
export { readQuietExperiments, readUnheardExperiments } from '../queries/maintenance/read-unheard.ts';
export { readSettledEpoch } from '../queries/read-settled-epoch.ts';
export { type Frontier, readFrontier } from '../queries/read-frontier.ts';
