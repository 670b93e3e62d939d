import type { ExperimentId, TenantId } from '#model';
import { notifyFrontier, type TenantScope } from '#store';

/**
 * The notification at `publish`: every epoch from `fromEpoch` to `epoch` became complete. An
 * experiment's intervals are contiguous.
 */
export interface Published {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  readonly fromEpoch: number;
  readonly epoch: number;
}

/**
 * Called in the transaction that publishes. What it writes there happens exactly once per epoch,
 * and becomes visible only with the epoch. So it must be short and only write rows; for longer
 * work, it records what must be done. If it throws, nothing is published, and publishing is
 * retried.
 */
export type PublishListener = (published: Published, scope: TenantScope) => Promise<void>;

/** Wakes all readers that wait for the frontier: `wait_for`, event streams, and live pages. */
export const wakeReaders: PublishListener = ({ experimentId }, scope) => notifyFrontier(scope, experimentId);
