import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A snapshot's citation. */
export interface StoredCitation {
  readonly title: string;
  readonly authors: readonly string[];
  readonly license: string | null;
  /** YYYY-MM-DD. */
  readonly published: string;
  /** The experiment that the snapshot copied, and the experiment's frontier at that time. */
  readonly copyOf: string;
  readonly epoch: number;
  readonly copiedAt: Date;
  /**
   * SHA-256 of the content, as 64 hexadecimal digits. Null if not computed yet; the counts are then
   * 0.
   */
  readonly digest: string | null;
  readonly series: number;
  readonly scalars: number;
  readonly tensors: number;
  readonly blobSequences: number;
}

/**
 * The citation of an experiment that is a snapshot. Null if it is not a snapshot or not citable.
 */
export async function findCitation({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<StoredCitation | null> {
  const { rows } = await sql<CitationRow>`/* find-citation */
    select c.title, c.authors, c.license, to_char(c.published_on, 'YYYY-MM-DD') as published, e.snapshot_of, e.snapshot_epoch, c.created_at,
      encode(c.digest, 'hex') as digest, c.series, c.scalars, c.tensors, c.blob_sequences
    from citation c join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = c.experiment_id
    where c.tenant_id = ${tenantId} and c.experiment_id = ${experimentId} and e.deleted_at is null and e.snapshot_of is not null`.execute(
    trx,
  );
  const row = rows[0];
  if (!row) return null;
  return {
    title: row.title,
    authors: row.authors,
    license: row.license,
    published: row.published,
    copyOf: row.snapshot_of!,
    epoch: Number(row.snapshot_epoch),
    copiedAt: row.created_at,
    digest: row.digest,
    series: Number(row.series),
    scalars: Number(row.scalars),
    tensors: Number(row.tensors),
    blobSequences: Number(row.blob_sequences),
  };
}

interface CitationRow {
  title: string;
  authors: string[];
  license: string | null;
  published: string;
  snapshot_of: string | null;
  snapshot_epoch: string | null;
  created_at: Date;
  digest: string | null;
  series: string;
  scalars: string;
  tensors: string;
  blob_sequences: string;
}
