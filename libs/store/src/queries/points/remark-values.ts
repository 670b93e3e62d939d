import { sql } from 'kysely';
import type { SeriesId } from '#model';
import type { ValuePlace } from './revive-values.ts';
import type { ValueTable } from './write-values.ts';
import type { IngestScope } from '../../scope.ts';

/** A value's position, and the series that it belongs to. */
export interface RemarkedValue extends Pick<ValuePlace, 'fileId' | 'ordinal' | 'superseded'> {
  readonly fromSeries: SeriesId;
  readonly toSeries: SeriesId;
}

/** Marks values as superseded or effective, and moves them to their writers' series. */
export async function remarkValues({ trx, tenantId }: IngestScope, table: ValueTable, values: readonly RemarkedValue[]): Promise<void> {
  if (values.length === 0) return;
  const column = <T>(pick: (value: RemarkedValue) => T): T[] => values.map(pick);
  await sql`/* remark-values */ update ${sql.table(table)} v set superseded = u.superseded, series_id = u.to_series
    from unnest(${column((v) => v.fromSeries)}::bigint[], ${column((v) => v.fileId)}::bigint[], ${column((v) => String(v.ordinal))}::bigint[],
      ${column((v) => v.toSeries)}::bigint[], ${column((v) => v.superseded)}::boolean[]) as u(from_series, file_id, ordinal, to_series, superseded)
    where v.tenant_id = ${tenantId} and v.series_id = u.from_series and v.file_id = u.file_id and v.ordinal = u.ordinal`.execute(trx);
}
