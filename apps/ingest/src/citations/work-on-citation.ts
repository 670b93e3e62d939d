import type { BlobStore } from '#blobs';
import { claimCitation, finishCitation, renewCitation, type Store, type WaitingCitation } from '#store';
import { digestExperiment } from './digest-experiment.ts';

/** Settings for a worker that computes a citation's digest. */
export interface CitationBounds {
  /**
   * Duration of the lease without renewal. If the process that works on a citation dies, another
   * process continues after this time.
   */
  readonly leaseMs: number;
  readonly retryMs: number;
}

/** The snapshot was deleted, or another worker has claimed it. */
class CitationLost extends Error {}

/**
 * Interval between statements, in milliseconds: Postgres ends transactions that are idle for ten
 * seconds.
 */
const keepAliveMs = 3_000;

/**
 * Computes the digest of a snapshot from one database snapshot, and stores it once. The row is the
 * job: a worker leases it, and if the worker dies, another one starts over.
 */
export async function workOnCitation(
  store: Store,
  blobs: BlobStore,
  { tenantId, experimentId }: WaitingCitation,
  { leaseMs, retryMs }: CitationBounds,
): Promise<void> {
  const attempt = await store.withIngest(tenantId, (ingest) => claimCitation(ingest, experimentId, leaseMs));
  if (attempt === null) return;
  const renew = (ms: number): Promise<boolean> => store.withIngest(tenantId, (ingest) => renewCitation(ingest, experimentId, attempt, ms));
  try {
    const content = await store.withSnapshot(tenantId, async (database) => {
      let lost = false;
      let validUntil = performance.now() + leaseMs;
      const timer = setInterval(
        () => {
          const asked = performance.now();
          renew(leaseMs).then(
            (still) => {
              lost ||= !still;
              validUntil = asked + leaseMs;
            },
            () => undefined, // the lease then expires
          );
          void database.client.query('select 1').catch(() => undefined); // if it fails, the next statement fails too
        },
        Math.min(keepAliveMs, leaseMs / 3),
      );
      try {
        return await digestExperiment(database, blobs, experimentId, () => {
          if (lost || performance.now() > validUntil) throw new CitationLost('the snapshot was deleted, or another worker has it');
        });
      } finally {
        clearInterval(timer);
      }
    });
    await store.withIngest(tenantId, (ingest) => finishCitation(ingest, experimentId, attempt, content));
  } catch (error) {
    if (error instanceof CitationLost) return;
    await renew(retryMs).catch(() => undefined); // the lease then expires, and another worker continues
    throw error;
  }
}
