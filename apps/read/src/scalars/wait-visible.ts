import { noSuchExperiment, requireExperiment } from '#experiments';
import type { Caller } from '#http';
import type { Store } from '#store';
import type { FrontierWatch } from '../frontier/frontier-watch.ts';

/** Waits until the epoch that a query names is visible; at once when it names none. Whether the caller may read is asked first. */
export async function waitVisible(
  store: Store,
  watch: FrontierWatch,
  caller: Caller,
  experimentId: string,
  query: { readonly wait_for?: bigint | undefined; readonly timeout: number },
): Promise<void> {
  if (query.wait_for === undefined) return;
  await store.withTenant(caller.tenantId, (trx) => requireExperiment(trx, caller, experimentId), { readOnly: true });
  await watch.waitFor(caller.tenantId, experimentId, Number(query.wait_for), query.timeout * 1000, noSuchExperiment);
}
