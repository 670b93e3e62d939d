import { sql } from 'kysely';
import type { ExperimentId, RunId, RunName } from '#model';
import { nameHash } from '../points/run-series.ts';
import type { TenantScope } from '../../scope.ts';

/** The position of a sequence of blobs, and the expected number of blobs. */
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

/** A sequence that a client may write blobs to. */
export interface UploaderSequence extends SequencePlace {
  readonly sequenceId: string;
  /** Its run's name. */
  readonly run: RunName;
  /** False: what was sent is in the ledger. */
  readonly isOpen: boolean;
}

/** A blob of a sequence, without its body. */
export interface UploaderBlob {
  readonly index: number;
  readonly size: number;
  readonly crc32c: number;
}

/** A blob that is recorded in the database. */
export interface KnownUploaderBlob extends UploaderBlob {
  /** Its body is kept here until its sequence is complete. */
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

/** Approximate size of a sequence's row besides tag and metadata. */
const rowBytes = 256;

/** The number of bytes that the row of a sequence counts for. */
export function bytesOfSequence({ tag, metadata }: Pick<SequencePlace, 'tag' | 'metadata'>): number {
  return rowBytes + tag.length + metadata.length;
}

/**
 * The sequence of this run, tag and step, created with the id `sequenceId` if it is new. A sequence
 * whose blobs are in the ledger is reopened for a second value at its step: its blobs are expected
 * again. `grown`: how many bytes were added, counted like {@link bytesOfSequence}.
 */
export async function openUploaderSequence(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
  place: SequencePlace,
): Promise<{ readonly sequenceId: string; readonly grown: number }> {
  const { rows } = await sql<{ sequence_id: string; before: number | null }>`
    /* open-uploader-sequence */
    insert into uploader_sequence as s (tenant_id, sequence_id, experiment_id, run_id, tag, tag_hash, step, wall_time, length, metadata)
    values (${tenantId}, ${sequenceId}, ${place.experimentId}, ${place.runId}, ${place.tag}, ${nameHash(place.tag.toString())}, ${String(place.step)},
      ${place.wallTime}, ${place.length}, ${place.metadata})
    on conflict (tenant_id, run_id, tag_hash, step) do update
      set wall_time = excluded.wall_time, length = excluded.length, metadata = excluded.metadata, is_open = true
    returning s.sequence_id, octet_length(old.metadata) as before`.execute(trx);
  const { sequence_id: id, before } = rows[0]!;
  // Blobs without a body belong to the previous value.
  if (id !== sequenceId)
    await sql`/* open-uploader-sequence-uploader-blob */
      delete from uploader_blob where tenant_id = ${tenantId} and sequence_id = ${id} and body is null`.execute(trx);
  return { sequenceId: id, grown: before === null ? bytesOfSequence(place) : place.metadata.length - before };
}

/**
 * Locks the sequences of a run, and returns how many bytes would be removed with them: those of
 * their rows, and of the blobs stored in them.
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
 * Null: the tenant has no such sequence. With `lock`, no other transaction writes to it until this
 * one ends.
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

/** Stores a complete blob, replacing an earlier one at its index. */
export async function putUploaderBlob(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
  { index, size, crc32c, body }: UploaderBlob & { readonly body: Buffer },
): Promise<void> {
  await sql`
    /* put-uploader-blob */
    insert into uploader_blob (tenant_id, sequence_id, index, size, crc32c, body)
    values (${tenantId}, ${sequenceId}, ${index}, ${size}, ${crc32c}, ${body})
    on conflict (tenant_id, sequence_id, index) do update set size = excluded.size, crc32c = excluded.crc32c, body = excluded.body`.execute(
    trx,
  );
}

/** Null: it was not sent, or not completely. */
export async function readUploaderBlob(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
  index: number,
): Promise<KnownUploaderBlob | null> {
  const { rows } = await sql<{ index: number; size: number; crc32c: string; held: boolean }>`
    /* read-uploader-blob */
    select index, size, crc32c, body is not null as held from uploader_blob
    where tenant_id = ${tenantId} and sequence_id = ${sequenceId} and index = ${index}`.execute(trx);
  const row = rows[0];
  return row ? { index: row.index, size: row.size, crc32c: Number(row.crc32c), held: row.held } : null;
}

/** The bodies that a sequence has, by index. */
export async function readUploaderBodies({ trx, tenantId }: TenantScope, sequenceId: string): Promise<Map<number, Buffer>> {
  const { rows } = await sql<{ index: number; body: Buffer }>`
    /* read-uploader-bodies */
    select index, body from uploader_blob
    where tenant_id = ${tenantId} and sequence_id = ${sequenceId} and body is not null`.execute(trx);
  return new Map(rows.map((row) => [row.index, row.body]));
}

/**
 * The size of the bodies that a sequence has, and a digest that identifies them: other blobs give
 * another digest.
 */
export async function readHeldBlobs(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
): Promise<{ readonly bytes: number; readonly digest: string }> {
  const { rows } = await sql<{ bytes: string; digest: string }>`
    /* read-held-blobs */
    select coalesce(sum(size), 0) as bytes, coalesce(md5(string_agg(concat_ws(' ', index, size, crc32c), ',' order by index)), '') as digest
    from uploader_blob where tenant_id = ${tenantId} and sequence_id = ${sequenceId} and body is not null`.execute(trx);
  return { bytes: Number(rows[0]!.bytes), digest: rows[0]!.digest };
}

/**
 * Closes a sequence whose blobs are in the ledger, and removes their bodies here. Returns how many
 * bytes they had.
 */
export async function closeUploaderSequence(scope: TenantScope, sequenceId: string): Promise<number> {
  const { trx, tenantId } = scope;
  const { bytes } = await readHeldBlobs(scope, sequenceId);
  await sql`
    /* close-uploader-sequence */
    with closed as (update uploader_sequence set is_open = false where tenant_id = ${tenantId} and sequence_id = ${sequenceId})
    update uploader_blob set body = null where tenant_id = ${tenantId} and sequence_id = ${sequenceId}`.execute(trx);
  return bytes;
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
