import { sql } from 'kysely';
import type { AnyScope, OperatorScope } from '../../scope.ts';

/**
 * The keys that any row refers to: segments, originals, blobs, tensors, and snapshots that contain
 * exports. Needs the role plotline_ingest, because the lookups cannot use an index under row level
 * security.
 */
export async function readReferredObjects(
  { trx, tenantId }: AnyScope | OperatorScope,
  objectKeys: readonly string[],
): Promise<Set<string>> {
  const of = (kind: string): string[] => objectKeys.filter((key) => key.startsWith(`${kind}/`));
  const segments = of('segment');
  const originals = of('original');
  const tensors = of('tensor');
  const blobs = of('blob');
  const snapshots = of('snapshot');
  const referred = new Set<string>();
  const note = (rows: readonly { object_key: string | null }[]): void => {
    for (const { object_key: key } of rows) if (key !== null) referred.add(key);
  };
  if (segments.length > 0) {
    const { rows } = await sql<{ object_key: string }>`
      /* read-referred-objects-segment */
      select s.object_key from segment s
      join unnest(${segments.map(fileOf)}::bigint[], ${segments.map(offsetOf)}::bigint[]) as k(file_id, "offset")
        on s.tenant_id = ${tenantId} and s.file_id = k.file_id and s."offset" = k."offset"
      where s.object_key is not null`.execute(trx);
    note(rows);
  }
  if (originals.length > 0) {
    const { rows } = await sql<{ object_key: string | null }>`
      /* read-referred-objects-event-file */
      select original_key as object_key from event_file
      where tenant_id = ${tenantId} and file_id = any(${originals.map(fileOf)}::bigint[])`.execute(trx);
    note(rows);
  }
  if (tensors.length > 0) {
    const { rows } = await sql<{ object_key: string | null }>`
      /* read-referred-objects-tensor-value */
      select distinct object_key from tensor_value
      where tenant_id = ${tenantId} and object_key = any(${tensors}::text[]) and object_key is not null`.execute(trx);
    note(rows);
  }
  if (blobs.length > 0) {
    // This is the only scan of all of a tenant's blob sequences. An index over the array elements
    // would slow down every ingest for this purpose alone.
    const { rows } = await sql<{ object_key: string }>`
      /* read-referred-objects-blob-sequence-value */
      select distinct 'blob/' || encode(h, 'hex') as object_key from blob_sequence_value v, unnest(v.blob_sha256) as h
      where v.tenant_id = ${tenantId} and h = any(${blobs.map((key) => Buffer.from(key.slice(5), 'hex'))}::bytea[])`.execute(trx);
    note(rows);
  }
  if (snapshots.length > 0) {
    const { rows } = await sql<{ object_key: string }>`
      /* read-referred-objects-snapshot */
      select k.object_key from unnest(${snapshots}::text[]) as k(object_key)
      where exists (select 1 from export_job j where j.tenant_id = ${tenantId} and j.snapshot = split_part(k.object_key, '/', 2))`.execute(
      trx,
    );
    note(rows);
  }
  return referred;
}

/** `segment/<file>/<offset>-…` and `original/<file>-…`. */
function fileOf(key: string): string {
  return /^[a-z]+\/(\d+)/.exec(key)?.[1] ?? '0';
}

function offsetOf(key: string): string {
  return /^segment\/\d+\/(\d+)/.exec(key)?.[1] ?? '0';
}
