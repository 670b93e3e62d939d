import { limits } from '#model';
import { readTenantsWithExpiredRows, removeExpiredSignIns, removeIdempotencyKeys, removeUploaderRequests, type Store } from '#store';

const rowsAtOnce = 1_000;
const maxTenantsPerRound = 10_000;
/**
 * How long uploader requests are kept, in hours. A client that got no response sends the same
 * request again within minutes, or after it restarts.
 */
const requestHours = 7 * 24;

/**
 * Removes expired rows that nothing else removes, in batches by index: sign-in links, sessions, and
 * the idempotency keys and uploader requests of all workspaces, including idle ones. Stops early if
 * `isClosing`.
 */
export async function removeExpiredRows(store: Store, isClosing: () => boolean): Promise<void> {
  const keyHours = limits.idempotencyKeyHours;
  await inBatches(isClosing, () => removeExpiredSignIns(store.global, rowsAtOnce));
  for (const tenantId of await readTenantsWithExpiredRows(store.sweeper, { keyHours, requestHours }, maxTenantsPerRound)) {
    await inBatches(isClosing, () => store.withTenant(tenantId, (scope) => removeIdempotencyKeys(scope, keyHours, rowsAtOnce)));
    await inBatches(isClosing, () => store.withTenant(tenantId, (scope) => removeUploaderRequests(scope, requestHours, rowsAtOnce)));
  }
}

async function inBatches(isClosing: () => boolean, remove: () => Promise<number>): Promise<void> {
  while (!isClosing() && (await remove()) >= rowsAtOnce);
}
