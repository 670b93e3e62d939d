/** Progress batches, their view, and frontiers. */
export { tellSettled } from '../queries/progress/tell-progress.ts';
export { frontierChannel, notifyFrontier, notifyListeners } from '../queries/progress/notify-frontier.ts';
export { listRunsBehind, type RunBehind } from '../queries/progress/list-runs-behind.ts';
export { rebuildWorker } from '../queries/progress/drop-pending.ts';
export { dropBatches, takeBatches } from '../queries/progress/take-batches.ts';
export { forgetWorkers } from '../queries/progress/forget-workers.ts';
export { insertLostView } from '../queries/progress/insert-progress-view.ts';
export { batchesCounted, type LockedView, lockProgressView } from '../queries/progress/lock-progress-view.ts';
export { saveProgressView } from '../queries/progress/save-progress-view.ts';
export { takeLedgerState } from '../queries/progress/take-ledger-state.ts';
export { readQuietExperiments, readUnheardExperiments } from '../queries/maintenance/read-unheard.ts';
export { readSettledEpoch } from '../queries/progress/read-settled-epoch.ts';
export { type Frontier, readFrontier } from '../queries/progress/read-frontier.ts';
