import { BatchGap, ChannelFault, hearBatches, isOutstanding, ledgerChanges, receiveWorker, type WrittenChange } from '#progress';
import {
  batchesCounted,
  dropBatches,
  forgetWorkers,
  insertLostView,
  type LockedView,
  lockProgressView,
  rebuildWorker,
  saveProgressView,
  type Store,
  takeBatches,
  takeLedgerState,
  type TenantTransaction,
} from '#store';
import { failpoint } from '#telemetry';
import type { PublishListener } from './published.ts';

/** What publishing works with, beside the store. */
export interface PublishOptions {
  readonly listeners: readonly PublishListener[];
  /** Told why the state had to be counted anew from the ledger, where nobody had asked for it. */
  readonly onHealed?: (reason: string) => void;
}

/** What came of it. `busy`: somebody else publishes at this moment, or there is no such experiment. `epoch`: the frontier that readers are told now. */
export type PublishOutcome = { readonly kind: 'busy' } | { readonly kind: 'published'; readonly epoch: number };

/**
 * Hears what waits in the channel of an experiment, and publishes what became complete by it, in one short transaction: the row of the view is
 * locked (or left to whoever has it), batches are heard in their order and go, listeners are notified, and the state is saved. `rebuild`: the
 * state is counted anew from the ledger. That is done, too, when somebody asked for it in the channel, and when state and batches contradict each other.
 */
export async function publishEpochs(
  store: Store,
  tenantId: string,
  experimentId: string,
  { listeners, onHealed }: PublishOptions,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<PublishOutcome> {
  const outcome = await store.withTenant<PublishOutcome>(tenantId, async (trx) => {
    let view = await lockProgressView(trx, tenantId, experimentId);
    if (!view) {
      if (!(await insertLostView(trx, tenantId, experimentId))) return { kind: 'busy' };
      onHealed?.('there was no state');
      rebuild = true;
      view = { publishedEpoch: 0, changes: [], deleted: false, waiting: 0 };
    }
    if (view.deleted) {
      await dropBatches(trx, tenantId, experimentId);
      return { kind: 'published', epoch: view.publishedEpoch };
    }
    const place = { trx, tenantId, experimentId };
    // Very many batches cost more than counting anew.
    const heard = rebuild || view.waiting >= batchesCounted ? null : await hear(place, view, onHealed);
    if (heard === 'nothing') return { kind: 'published', epoch: view.publishedEpoch };
    const state = heard ?? (await countAnew(place));
    if (!state) return { kind: 'busy' };
    const epoch = Math.max(view.publishedEpoch, state.completeEpoch);
    await saveProgressView(trx, tenantId, experimentId, {
      publishedEpoch: epoch,
      changes: state.changes,
      outstanding: isOutstanding(state.changes),
      numbers: state.numbers,
    });
    if (epoch > view.publishedEpoch) {
      const published = { tenantId, experimentId, fromEpoch: view.publishedEpoch + 1, epoch };
      for (const listener of listeners) await listener(published, trx);
    }
    await failpoint('before-publish-commit');
    return { kind: 'published', epoch };
  });
  await failpoint('after-publish-commit');
  return outcome;
}

interface Place {
  readonly trx: TenantTransaction;
  readonly tenantId: string;
  readonly experimentId: string;
}

interface State {
  readonly changes: readonly WrittenChange[];
  readonly completeEpoch: number;
  readonly numbers: ReadonlyMap<string, number>;
}

/** Null: the state has to be counted anew. */
async function hear({ trx, tenantId, experimentId }: Place, view: LockedView, onHealed: PublishOptions['onHealed']) {
  const batches = await takeBatches(trx, tenantId, experimentId);
  if (batches.length === 0) return 'nothing';
  if (batches.some(({ worker }) => worker === rebuildWorker)) return null;
  try {
    return hearBatches(view.changes, new Map(batches.map(({ worker, heard }) => [worker, heard])), batches);
  } catch (error) {
    if (!(error instanceof ChannelFault || error instanceof BatchGap || error instanceof RangeError)) throw error;
    onHealed?.(error.message);
    return null;
  }
}

/** The state that follows from the ledger at this moment. */
async function countAnew({ trx, tenantId, experimentId }: Place): Promise<State | null> {
  const ledger = await takeLedgerState(trx, tenantId, experimentId);
  if (!ledger) return null;
  const numbers = new Map([...ledger.numbers, [receiveWorker, ledger.acknowledgedEpoch] as const]);
  await forgetWorkers(trx, tenantId, experimentId, [...numbers.keys()]);
  return { ...hearBatches(ledgerChanges(ledger.acknowledgedEpoch, ledger.pending), new Map(), []), numbers };
}
