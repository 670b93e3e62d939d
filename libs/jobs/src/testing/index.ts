export { dispatcherContract, HeldHandler, jobOf } from './dispatcher.contract.ts';
export { PendingRuns } from './pending-runs.ts';
