import { Problem } from '#model';
import type { Snapshot, Store } from '#store';

/**
 * How long a reader may keep a snapshot waiting in all, and how many bytes it has to take for more time. A reader on a poor line takes several times as much; who takes a little each
 * minute would keep a connection to the database for as long as they like.
 */
const readingPace = { graceMs: 60_000, bytesPerSecond: 16 * 1024 } as const;
/** Postgres ends a transaction that says nothing for ten seconds. */
const keepAliveMs = 3_000;

/**
 * What `make` gives, read on one snapshot as fast as it is taken. The connection is given back at the end, when nobody asks any more, and when the reader has kept
 * it waiting for longer than `pace` allows: then the next thing it gets is `body-timeout`.
 */
export async function* onSnapshot<T extends Uint8Array>(
  store: Store,
  tenantId: string,
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
    // A failure shows at the next statement of the walk, or there is none.
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
