import { endGeneration, generationOf, type SnapshotPlace, standingOf } from './snapshot-place.ts';

/**
 * Ends runs that have not finished in time, and deletes the chunks of all runs that cannot become a
 * snapshot anymore. A process may do this at any moment, even while other processes write and read.
 * Returns the number of deleted chunks.
 */
export async function collectSnapshots(place: SnapshotPlace & { readonly pendingExpirySeconds: number }): Promise<number> {
  const { blobs, tenantId, pendingExpirySeconds } = place;
  const chunks = new Map<string, { key: string; generation: number }[]>();
  for await (const { key } of blobs.list(tenantId, 'snapshot/')) {
    const of = generationOf(key);
    if (!of) continue;
    const known = chunks.get(of.fingerprint) ?? [];
    if (of.generation !== null) known.push({ key, generation: of.generation });
    chunks.set(of.fingerprint, known);
  }
  let deleted = 0;
  for (const [fingerprint, listed] of chunks) {
    const live = await liveGeneration(place, fingerprint, pendingExpirySeconds);
    for (const { key, generation } of listed) {
      if (generation === live) continue;
      await blobs.delete(tenantId, key);
      deleted++;
    }
  }
  return deleted;
}

/** The generation that is a snapshot or may become one; null if there is none. */
async function liveGeneration(place: SnapshotPlace, fingerprint: string, expirySeconds: number): Promise<number | null> {
  for (;;) {
    const standing = await standingOf(place, fingerprint);
    if (standing.is === 'free') return null;
    if (standing.is === 'complete') return standing.generation;
    if ((await place.now()) - standing.claim.started_at <= expirySeconds * 1000) return standing.generation;
    await endGeneration(place, fingerprint, standing.generation, { complete: false, run_id: standing.claim.run_id });
  }
}
