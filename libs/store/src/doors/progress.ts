/** Progress batches, their view, and frontiers. */
export { tellSettled } from '../queries/progress/tell-progress.ts';
export { frontierChannel, notifyFrontier, notifyListeners } from '../queries/progress/notify-frontier.ts';
export { listRunsBehind, type RunBehind } from '../queries/progress/list-runs-behind.ts';
export { rebuildWorker } from '../queries/progress/drop-pending.ts';
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
} from '../queries/progress/progress-view.ts';
export { readQuietExperiments, readUnheardExperiments } from '../queries/maintenance/read-unheard.ts';
export { readSettledEpoch } from '../queries/progress/read-settled-epoch.ts';
export { type Frontier, readFrontier } from '../queries/progress/read-frontier.ts';
