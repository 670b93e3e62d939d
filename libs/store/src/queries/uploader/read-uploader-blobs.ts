import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import type { KnownUploaderBlob } from './read-uploader-sequences.ts';

/** Null if the blob was not sent, or was not sent completely. */
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
 * The size of the bodies that a sequence has, and a digest that identifies them. Different blobs
 * have a different digest.
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
