import { notifyFrontier, type TenantTransaction } from '#store';

/** The notification at `publish`: every epoch from `fromEpoch` to `epoch` became complete. Intervals of an experiment follow one another without gaps. */
export interface Published {
  readonly tenantId: string;
  readonly experimentId: string;
  readonly fromEpoch: number;
  readonly epoch: number;
}

/**
 * What hangs on the notification. It is called in the transaction that publishes: what it writes there happens exactly once for each epoch, and
 * is seen by nobody before the epoch is. So it is short and writes rows only: whoever has more to do writes down that it has to be done. When it
 * throws, nothing is published, and it is tried again.
 */
export type PublishListener = (published: Published, trx: TenantTransaction) => Promise<void>;

/** Wakes whoever waits for the frontier: `wait_for`, streams of events, live pages. */
export const wakeReaders: PublishListener = ({ experimentId }, trx) => notifyFrontier(trx, experimentId);
