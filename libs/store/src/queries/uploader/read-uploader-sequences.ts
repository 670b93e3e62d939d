import { sql } from 'kysely';
import type { ExperimentId, RunId, RunName } from '#model';
import { nameHash } from '../points/run-series.ts';
import type { TenantScope } from '../../scope.ts';

/** The position of a blob sequence, and the expected number of blobs. */
export interface SequencePlace {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  /** UTF-8. */
  readonly tag: Buffer;
  readonly step: bigint;
  /** Seconds since the epoch. */
  readonly wallTime: number;
  readonly length: number;
  /** A serialized SummaryMetadata. */
  readonly metadata: Buffer;
}

/** A sequence to which a client may write blobs. */
export interface UploaderSequence extends SequencePlace {
  readonly sequenceId: string;
  /** Its run's name. */
  readonly run: RunName;
  /** False if the sent blobs are in the ledger. */
  readonly isOpen: boolean;
}

/** A blob of a sequence, without its body. */
export interface UploaderBlob {
  readonly index: number;
  readonly size: number;
  readonly crc32c: number;
}

/** A blob recorded in the database. */
export interface KnownUploaderBlob extends UploaderBlob {
  /** Whether its body is kept here until its sequence is complete. */
  readonly held: boolean;
}

interface SequenceRow {
  sequence_id: string;
  experiment_id: ExperimentId;
  run_id: RunId;
  run: RunName;
  tag: Buffer;
  step: string;
  wall_time: number;
  length: number;
  metadata: Buffer;
  is_open: boolean;
}

/** Approximate size of a sequence's row, without tag and metadata. */
const rowBytes = 256;

/** The number of bytes that a sequence's row counts as. */
export function bytesOfSequence({ tag, metadata }: Pick<SequencePlace, 'tag' | 'metadata'>): number {
  return rowBytes + tag.length + metadata.length;
}

/**
 * Locks a run's sequences, and returns how many bytes would be removed with them: those of their
 * rows and of the blobs stored in them.
 */
export async function lockUploaderSequences({ trx, tenantId }: TenantScope, runId: RunId): Promise<number> {
  const { rows } = await sql<{ tag: number; metadata: number; blobs: string }>`
    /* lock-uploader-sequences */
    select octet_length(s.tag) as tag, octet_length(s.metadata) as metadata, (
      select coalesce(sum(b.size), 0) from uploader_blob b
      where b.tenant_id = ${tenantId} and b.sequence_id = s.sequence_id and b.body is not null
    ) as blobs
    from uploader_sequence s where s.tenant_id = ${tenantId} and s.run_id = ${runId} order by s.sequence_id for update of s`.execute(trx);
  return rows.reduce((sum, { tag, metadata, blobs }) => sum + rowBytes + tag + metadata + Number(blobs), 0);
}

/**
 * Returns null if the tenant has no such sequence. With `lock`, no other transaction can write to
 * the sequence until this transaction ends.
 */
export async function readUploaderSequence(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<UploaderSequence | null> {
  const { rows } = await sql<SequenceRow>`
    /* read-uploader-sequence */
    select s.sequence_id, s.experiment_id, s.run_id, r.name as run, s.tag, s.step, s.wall_time, s.length, s.metadata, s.is_open
    from uploader_sequence s join run r on r.tenant_id = s.tenant_id and r.run_id = s.run_id
    where s.tenant_id = ${tenantId} and s.sequence_id = ${sequenceId} ${lock ? sql`for update of s` : sql``}`.execute(trx);
  return rows[0] ? sequenceOf(rows[0]) : null;
}

/** Other sequences of a series that have some blobs and still expect more. */
export async function listOpenUploaderSequences(
  { trx, tenantId }: TenantScope,
  { sequenceId, runId, tag }: { readonly sequenceId: string; readonly runId: RunId; readonly tag: Buffer },
): Promise<UploaderSequence[]> {
  const { rows } = await sql<SequenceRow>`
    /* list-open-uploader-sequences */
    select s.sequence_id, s.experiment_id, s.run_id, r.name as run, s.tag, s.step, s.wall_time, s.length, s.metadata, s.is_open
    from uploader_sequence s join run r on r.tenant_id = s.tenant_id and r.run_id = s.run_id
    where s.tenant_id = ${tenantId} and s.run_id = ${runId} and s.tag_hash = ${nameHash(tag.toString())} and s.sequence_id <> ${sequenceId} and s.is_open
      and exists (select 1 from uploader_blob b where b.tenant_id = ${tenantId} and b.sequence_id = s.sequence_id)
    order by s.step for update of s`.execute(trx);
  return rows.map(sequenceOf);
}

function sequenceOf(row: SequenceRow): UploaderSequence {
  return {
    sequenceId: row.sequence_id,
    experimentId: row.experiment_id,
    runId: row.run_id,
    run: row.run,
    tag: row.tag,
    step: BigInt(row.step),
    wallTime: row.wall_time,
    length: row.length,
    metadata: row.metadata,
    isOpen: row.is_open,
  };
}
