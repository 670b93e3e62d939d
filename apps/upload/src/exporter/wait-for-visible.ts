import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentId, TenantId } from '#model';
import { readFrontier, type Store, type TenantScope } from '#store';

/**
 * Maximum wait, in milliseconds. Bytes are ingested moments after they are acknowledged, and a
 * client that has just uploaded bytes expects them in its export.
 */
const maxWaitMs = 30_000;
const lookMs = 200;

/**
 * Waits until everything acknowledged so far is visible, but at most half a minute. `admit` is
 * called with every check.
 */
export async function waitForVisible(
  store: Store,
  tenantId: TenantId,
  experimentId: ExperimentId,
  admit: (scope: TenantScope) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let wanted: number | null = null;
  for (const until = performance.now() + maxWaitMs; performance.now() < until; await sleep(lookMs, undefined, { signal })) {
    const frontier = await store.withTenant(
      tenantId,
      async (scope) => {
        await admit(scope);
        return readFrontier(scope, experimentId);
      },
      { readOnly: true },
    );
    wanted ??= frontier?.acknowledgedEpoch ?? 0;
    if (frontier === null || frontier.epoch >= wanted) return;
  }
}
