import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { AnyScope, TenantScope } from '../../scope.ts';

/** Citation metadata from the authors of a snapshot. */
export interface NewCitation {
  readonly title: string;
  readonly authors: readonly string[];
  readonly license: string | null;
  /** YYYY-MM-DD. Null: today, by the clock of the database, in UTC. */
  readonly published: string | null;
}

/** The citation of a snapshot. */
export interface StoredCitation {
  readonly title: string;
  readonly authors: readonly string[];
  readonly license: string | null;
  /** YYYY-MM-DD. */
  readonly published: string;
  /** The experiment that the snapshot copies, and its frontier at that time. */
  readonly copyOf: string;
  readonly epoch: number;
  readonly copiedAt: Date;
  /**
   * SHA-256 of the content, 64 hexadecimal digits. Null: not computed yet; then the counts are 0.
   */
  readonly digest: string | null;
  readonly series: number;
  readonly scalars: number;
  readonly tensors: number;
  readonly blobSequences: number;
}

/** Makes a snapshot citable. */
export async function insertCitation({ trx, tenantId }: TenantScope, experimentId: ExperimentId, citation: NewCitation): Promise<void> {
  const { title, authors, license, published } = citation;
  await sql`/* insert-citation */ insert into citation (tenant_id, experiment_id, title, authors, license, published_on)
    values (${tenantId}, ${experimentId}, ${title}, ${[...authors]}::text[], ${license},
      coalesce(${published}::date, (now() at time zone 'UTC')::date))`.execute(trx);
}

/** The citation of an experiment that is a snapshot; null: it is not a snapshot, or not citable. */
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

/** How many snapshots of an experiment exist, and how many of them are citable. */
export async function countSnapshotsOf(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
): Promise<{ readonly snapshots: number; readonly citable: number }> {
  const { rows } = await sql<{ snapshots: string; citable: string }>`/* count-snapshots-of */
    select count(*) as snapshots, count(c.experiment_id) as citable
    from experiment e left join citation c on c.tenant_id = ${tenantId} and c.experiment_id = e.experiment_id
    where e.tenant_id = ${tenantId} and e.snapshot_of = ${experimentId} and e.deleted_at is null`.execute(trx);
  return { snapshots: Number(rows[0]!.snapshots), citable: Number(rows[0]!.citable) };
}

/**
 * Claims a citation without digest for `leaseMs`. Null: another worker has it, or it is gone;
 * otherwise the number of the attempt.
 */
export async function claimCitation({ trx, tenantId }: AnyScope, experimentId: ExperimentId, leaseMs: number): Promise<number | null> {
  const { rows } = await sql<{ attempts: number }>`/* claim-citation */
    update citation c set worker_until = now() + make_interval(secs => ${leaseMs / 1000}), attempts = c.attempts + 1
    where c.tenant_id = ${tenantId} and c.experiment_id = ${experimentId} and c.digest is null and c.worker_until <= now()
    returning c.attempts`.execute(trx);
  return rows[0]?.attempts ?? null;
}

/** Sets how long a worker has a citation; false: another one has claimed it, or it is gone. */
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

/** Stores the digest, which never changes then; false: as for {@link renewCitation}. */
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
