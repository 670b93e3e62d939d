import { sql } from 'kysely';
import { type ExperimentId, type FileId, seesSeries, type SeriesId, type View } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A blob's position, as encoded in its key. `index` counts one point's blobs from 0. */
export interface BlobPlace {
  readonly experimentId: ExperimentId;
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly index: number;
}

/**
 * The blob at a position. Null if there is none, if it is a hole, or if the view excludes its
 * series.
 */
export async function findBlob(
  { trx, tenantId }: TenantScope,
  place: BlobPlace,
  view: View | null,
): Promise<{ sha256: Buffer; bytes: number } | null> {
  const row = await trx
    .selectFrom('blob_sequence_value as b')
    .innerJoin('series as s', (join) => join.onRef('s.tenant_id', '=', 'b.tenant_id').onRef('s.series_id', '=', 'b.series_id'))
    .innerJoin('run as r', (join) => join.onRef('r.tenant_id', '=', 's.tenant_id').onRef('r.run_id', '=', 's.run_id'))
    .select(['b.blob_sha256', 'b.blob_bytes', 'r.name', 's.tag'])
    .where('b.tenant_id', '=', tenantId)
    .where('b.series_id', '=', place.seriesId)
    .where('b.file_id', '=', place.fileId)
    .where('b.ordinal', '=', String(place.ordinal))
    .where('s.experiment_id', '=', place.experimentId)
    .where('r.deleted_at', 'is', null)
    .modifyFront(sql`/* find-blob */`)
    .executeTakeFirst();
  const sha256 = row?.blob_sha256[place.index];
  if (!row || !sha256 || !seesSeries(view, { run: row.name, tag: row.tag })) return null;
  return { sha256, bytes: Number(row.blob_bytes[place.index]) };
}
