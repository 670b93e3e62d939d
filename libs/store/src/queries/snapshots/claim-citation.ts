import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { AnyScope } from '../../scope.ts';
import type { StoredCitation } from './find-citation.ts';

/**
 * Claims a citation without a digest for `leaseMs`. Returns the number of the attempt. Null if
 * another worker has claimed the citation or it is gone.
 */
export async function claimCitation({ trx, tenantId }: AnyScope, experimentId: ExperimentId, leaseMs: number): Promise<number | null> {
  const { rows } = await sql<{ attempts: number }>`/* claim-citation */
    update citation c set worker_until = now() + make_interval(secs => ${leaseMs / 1000}), attempts = c.attempts + 1
    where c.tenant_id = ${tenantId} and c.experiment_id = ${experimentId} and c.digest is null and c.worker_until <= now()
    returning c.attempts`.execute(trx);
  return rows[0]?.attempts ?? null;
}

/**
 * Sets how long a worker's claim on a citation lasts. Returns false if another worker has claimed
 * the citation or it is gone.
 */
export async function renewCitation(
  { trx, tenantId }: AnyScope,
  experimentId: ExperimentId,
  attempt: number,
  leaseMs: number,
): Promise<boolean> {
  const { rows } = await sql`/* renew-citation */
    update citation c set worker_until = now() + make_interval(secs => ${leaseMs / 1000})
    where c.tenant_id = ${tenantId} and c.experiment_id = ${experimentId} and c.attempts = ${attempt} and c.digest is null
    returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Stores the digest, which never changes afterward. Returns false in the same cases as {@link
 * renewCitation}.
 */
export async function finishCitation(
  { trx, tenantId }: AnyScope,
  experimentId: ExperimentId,
  attempt: number,
  content: Pick<StoredCitation, 'series' | 'scalars' | 'tensors' | 'blobSequences'> & { readonly digest: string },
): Promise<boolean> {
  const { rows } = await sql`/* finish-citation */
    update citation c set digest = decode(${content.digest}, 'hex'), series = ${content.series}, scalars = ${content.scalars},
      tensors = ${content.tensors}, blob_sequences = ${content.blobSequences}, digested_at = now()
    where c.tenant_id = ${tenantId} and c.experiment_id = ${experimentId} and c.attempts = ${attempt} and c.digest is null
    returning 1`.execute(trx);
  return rows.length > 0;
}
