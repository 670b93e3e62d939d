import { sql } from 'kysely';
import type { FileId, SeriesId } from '#model';
import type { ValueTable } from './write-values.ts';
import type { IngestScope } from '../../scope.ts';

/** A value's position in its series, and whether the value is effective. */
export interface ValuePlace {
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly recordOffset: number;
  readonly step: bigint;
  readonly superseded: boolean;
}

/** All values of a tensor or blob sequence series, in no particular order. */
export async function readValuePlaces({ trx, tenantId }: IngestScope, table: ValueTable, seriesId: SeriesId): Promise<ValuePlace[]> {
  const { rows } = await sql<{ file_id: FileId; ordinal: string; record_offset: string; step: string; superseded: boolean }>`
    /* read-value-places */
    select file_id, ordinal, record_offset, step, superseded from ${sql.table(table)}
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
  return rows.map((row) => ({
    fileId: row.file_id,
    ordinal: Number(row.ordinal),
    recordOffset: Number(row.record_offset),
    step: BigInt(row.step),
    superseded: row.superseded,
  }));
}

/** Makes a series' values effective again after the points that superseded them were removed. */
export async function reviveValues(
  { trx, tenantId }: IngestScope,
  table: ValueTable,
  seriesId: SeriesId,
  places: readonly ValuePlace[],
): Promise<void> {
  if (places.length === 0) return;
  await sql`/* revive-values */ update ${sql.table(table)} v set superseded = false
    from unnest(${places.map(({ fileId }) => fileId)}::bigint[], ${places.map(({ ordinal }) => String(ordinal))}::bigint[]) as u(file_id, ordinal)
    where v.tenant_id = ${tenantId} and v.series_id = ${seriesId} and v.file_id = u.file_id and v.ordinal = u.ordinal`.execute(trx);
}
