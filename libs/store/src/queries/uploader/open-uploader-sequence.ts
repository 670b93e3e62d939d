import { sql } from 'kysely';
import { nameHash } from '../points/run-series.ts';
import type { TenantScope } from '../../scope.ts';
import { bytesOfSequence, type SequencePlace } from './read-uploader-sequences.ts';

/**
 * The sequence of this run, tag and step, created with the id `sequenceId` if it is new. If the
 * sequence's blobs are in the ledger, it is reopened for a second value at its step, and its blobs
 * are expected again. `grown` is the number of bytes added, counted like {@link bytesOfSequence}.
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
