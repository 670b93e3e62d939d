import { noSuchExperiment, requireExperiment } from '#experiments';
import { type Caller, requireStill } from '#http';
import type { ExperimentId } from '#model';
import { readFrontier, type Store } from '#store';
import type { FrontierWatch } from './frontier-watch.ts';

export const defaultTimeoutSeconds = 10;

/**
 * Waits until the epoch in a query is visible; returns immediately if it already is, or if the
 * query has none. Checks the caller's access before and after the wait.
 */
export async function waitVisible(
  store: Store,
  watch: FrontierWatch,
  caller: Caller,
  experimentId: ExperimentId,
  query: { readonly wait_for?: number | undefined; readonly timeout?: number | undefined },
): Promise<void> {
  if (query.wait_for === undefined) return;
  const { tenantId } = caller;
  const epoch = query.wait_for;
  const frontier = await store.withTenant(
    tenantId,
    async (scope) => {
      await requireExperiment(scope, caller, experimentId, 'experiment.view');
      return readFrontier(scope, experimentId);
    },
    { readOnly: true },
  );
  if (frontier && frontier.epoch >= epoch) return;
  try {
    await watch.waitFor(tenantId, experimentId, epoch, (query.timeout ?? defaultTimeoutSeconds) * 1000, noSuchExperiment, frontier);
  } finally {
    await requireStill(caller); // in the error path too: not-visible-yet contains the frontier
  }
}
