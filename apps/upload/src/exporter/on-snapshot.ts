import { Problem, type TenantId } from '#model';
import type { Snapshot, Store } from '#store';

/**
 * How long a reader may keep a snapshot waiting in total, and how many bytes extend that time. Even
 * a reader on a slow line is several times faster. Without this limit, a reader of a few bytes per
 * minute could hold a database connection indefinitely.
 */
const readingPace = { graceMs: 60_000, bytesPerSecond: 16 * 1024 } as const;
/**
 * Interval between statements, in milliseconds: Postgres ends transactions that are idle for ten
 * seconds.
 */
const keepAliveMs = 3_000;

/**
 * The output of `make`, produced from one snapshot at the consumer's speed. The connection is
 * released at the end, or when the consumer stops. It is also released when the consumer has kept
 * the snapshot waiting longer than `pace` allows; the next read then throws `body-timeout`.
 */
export async function* onSnapshot<T extends Uint8Array>(
  store: Store,
  tenantId: TenantId,
  make: (snapshot: Snapshot) => AsyncIterable<T>,
  pace: { readonly graceMs: number; readonly bytesPerSecond: number } = readingPace,
): AsyncGenerator<T> {
  const opened = Promise.withResolvers<Snapshot>();
  const finished = Promise.withResolvers<void>();
  const held = store.withSnapshot(tenantId, async (snapshot) => {
    opened.resolve(snapshot);
    await finished.promise;
  });
  held.catch((error: unknown) => opened.reject(error));
  let keepAlive: NodeJS.Timeout | undefined;
  try {
    const snapshot = await opened.promise;
    // If it fails, the next statement of the walk fails too, if there is one.
    keepAlive = setInterval(() => void snapshot.client.query('select 1').catch(() => undefined), keepAliveMs);
    let leftMs = pace.graceMs;
    for await (const item of make(snapshot)) {
      let stalled = false;
      const timer = setTimeout(() => {
        stalled = true;
        clearInterval(keepAlive);
        finished.resolve();
      }, leftMs);
      const since = performance.now();
      try {
        yield item;
      } finally {
        clearTimeout(timer);
      }
      if (stalled) throw tooSlow(pace.graceMs);
      const earnedMs = (item.length / pace.bytesPerSecond) * 1_000;
      leftMs = Math.max(1, Math.min(pace.graceMs, leftMs - (performance.now() - since) + earnedMs));
    }
  } finally {
    clearInterval(keepAlive);
    finished.resolve();
    await held;
  }
}

function tooSlow(graceMs: number): Problem {
  return new Problem(
    'body-timeout',
    `The client read the response too slowly for ${graceMs / 1_000} s, and its database snapshot cannot stay open. Try again.`,
  );
}
