import type { ExperimentId, TenantId } from '#model';
import { BatchGap, ChannelFault, hearBatches, isOutstanding, ledgerChanges, receiveWorker, type WrittenChange } from '#progress';
import {
  batchesCounted,
  dropBatches,
  forgetWorkers,
  insertLostView,
  type LockedView,
  lockProgressView,
  readLastAcknowledgement,
  rebuildWorker,
  saveProgressView,
  type Store,
  takeBatches,
  takeLedgerState,
  type TenantScope,
} from '#store';
import { failpoint } from '#telemetry';
import type { Publication } from './publish-delays.ts';
import type { PublishListener } from './published.ts';

/** What publishing depends on, besides the store. */
export interface PublishOptions {
  readonly listeners: readonly PublishListener[];
  /** Called with the reason if the state was recounted from the ledger without a request. */
  readonly onHealed?: (reason: string) => void;
}

/**
 * The result of publishing. `busy`: another process is publishing, or there is no such experiment.
 * `epoch`: the frontier that readers now see.
 */
export type PublishOutcome = { readonly kind: 'busy' } | ({ readonly kind: 'published' } & Publication);

/**
 * Applies the batches in an experiment's channel and publishes the epochs that became complete, in
 * one short transaction. It locks the view's row, or returns if another process holds the lock.
 * Then it applies and removes the batches in order, notifies listeners, and saves the state.
 * `rebuild`: recounts the state from the ledger. This also happens if a batch in the channel
 * requests it, or if the state and the batches contradict each other.
 */
export async function publishEpochs(
  store: Store,
  tenantId: TenantId,
  experimentId: ExperimentId,
  { listeners, onHealed }: PublishOptions,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<PublishOutcome> {
  const outcome = await store.withTenant<PublishOutcome>(tenantId, async (scope) => {
    let view = await lockProgressView(scope, experimentId);
    if (!view) {
      if (!(await insertLostView(scope, experimentId))) return { kind: 'busy' };
      onHealed?.('there was no state');
      rebuild = true;
      view = { publishedEpoch: 0, changes: [], deleted: false, waiting: 0 };
    }
    if (view.deleted) {
      await dropBatches(scope, experimentId);
      return { kind: 'published', before: view.publishedEpoch, epoch: view.publishedEpoch };
    }
    const place = { scope, experimentId };
    // Applying very many batches costs more than a recount.
    const heard = rebuild || view.waiting >= batchesCounted ? null : await hear(place, view, onHealed);
    if (heard === 'nothing') return { kind: 'published', before: view.publishedEpoch, epoch: view.publishedEpoch };
    const state = heard ?? (await recount(place));
    if (!state) return { kind: 'busy' };
    const epoch = Math.max(view.publishedEpoch, state.completeEpoch);
    await saveProgressView(scope, experimentId, {
      publishedEpoch: epoch,
      changes: state.changes,
      outstanding: isOutstanding(state.changes),
      numbers: state.numbers,
    });
    if (epoch > view.publishedEpoch) {
      const published = { tenantId, experimentId, fromEpoch: view.publishedEpoch + 1, epoch };
      for (const listener of listeners) await listener(published, scope);
    }
    const acknowledged = epoch > view.publishedEpoch ? await readLastAcknowledgement(scope, experimentId) : undefined;
    await failpoint('before-publish-commit');
    return { kind: 'published', before: view.publishedEpoch, epoch, acknowledged };
  });
  await failpoint('after-publish-commit');
  return outcome;
}

interface Place {
  readonly scope: TenantScope;
  readonly experimentId: ExperimentId;
}

interface State {
  readonly changes: readonly WrittenChange[];
  readonly completeEpoch: number;
  readonly numbers: ReadonlyMap<string, number>;
}

/** Returns null if the state must be recounted. */
async function hear({ scope, experimentId }: Place, view: LockedView, onHealed: PublishOptions['onHealed']) {
  const batches = await takeBatches(scope, experimentId);
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

/** The state according to the ledger. */
async function recount({ scope, experimentId }: Place): Promise<State | null> {
  const ledger = await takeLedgerState(scope, experimentId);
  if (!ledger) return null;
  const numbers = new Map([...ledger.numbers, [receiveWorker, ledger.acknowledgedEpoch] as const]);
  await forgetWorkers(scope, experimentId, [...numbers.keys()]);
  return { ...hearBatches(ledgerChanges(ledger.acknowledgedEpoch, ledger.pending), new Map(), []), numbers };
}
