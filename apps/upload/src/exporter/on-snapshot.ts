import { Problem } from '#model';
import type { Snapshot, Store } from '#store';

/** How long somebody who takes nothing keeps a snapshot; a guess, not measured. */
const maxStallMs = 60_000;
/** Postgres ends a transaction that says nothing for ten seconds. */
const keepAliveMs = 3_000;

/**
 * What `make` gives, read on one snapshot as fast as it is taken. The connection is given back at the end, when nobody asks any more, and when whoever
 * asks has taken nothing for a minute: then the next thing they are told is `body-timeout`.
 */
export async function* onSnapshot<T>(
  store: Store,
  tenantId: string,
  make: (snapshot: Snapshot) => AsyncIterable<T>,
  stallMs = maxStallMs,
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
    for await (const item of make(snapshot)) {
      let stalled = false;
      const timer = setTimeout(() => {
        stalled = true;
        clearInterval(keepAlive);
        finished.resolve();
      }, stallMs);
      try {
        yield item;
      } finally {
        clearTimeout(timer);
      }
      if (stalled) throw tooSlow(stallMs);
    }
  } finally {
    clearInterval(keepAlive);
    finished.resolve();
    await held;
  }
}

function tooSlow(stallMs: number): Problem {
  return new Problem(
    'body-timeout',
    `Nothing was taken for ${stallMs / 1_000} s, and what is read at one moment cannot wait for longer. Ask again.`,
  );
}
