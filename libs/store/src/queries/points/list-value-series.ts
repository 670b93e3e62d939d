import type { RunId, RunName, SeriesId, TagName } from '#model';
import { queryText, type TextRow } from '../../text-result.ts';
import { hashArray, planFor, type ScalarSeriesFilter, seenOf, textArray } from './list-scalar-series.ts';
import type { Snapshot } from '../../scope.ts';

/** A tensor or blob sequence series. */
export interface ValueSeries {
  readonly seriesId: SeriesId;
  readonly runId: RunId;
  readonly run: RunName;
  readonly tag: TagName;
  /**
   * The lane of the files that its points come from: 0, or higher if files of the run overlap in
   * time.
   */
  readonly writer: number;
}

const statement = {
  name: 'list-value-series',
  text: `
select s.series_id, s.run_id, r.name, s.tag, s.writer
from series s
join run r on r.tenant_id = $1 and r.run_id = s.run_id
where s.tenant_id = $1 and s.experiment_id = $2 and r.deleted_at is null and s.data_class = $3
  and ($4::text[] is null or r.name = any($4)) and ($5::bytea[] is null or s.tag_hash = any($5))
  and ($6::text is null or s.plugin = $6) and (s.listed or $7::boolean)
order by r.name collate "C", s.tag collate "C", s.twin, s.writer, s.series_id`,
};

/** The matching series of this class, ordered by run name and tag in byte order. */
export async function listValueSeries(
  { client, tenantId }: Snapshot,
  dataClass: 'tensor' | 'blob_sequence',
  filter: Omit<ScalarSeriesFilter, 'from' | 'to'>,
): Promise<ValueSeries[]> {
  const { runs, tags } = seenOf(filter);
  const hashes = tags && hashArray(tags);
  if (runs?.length === 0 || tags?.length === 0) return [];
  const rows = await queryText<readonly [SeriesId, RunId, ...TextRow]>(client, planFor(statement, { runs, tags }), [
    tenantId,
    filter.experimentId,
    dataClass,
    runs === null ? null : textArray([...new Set(runs)]),
    hashes instanceof Promise ? await hashes : hashes,
    filter.plugin,
    filter.unlisted,
  ]);
  return rows.map((row) => ({ seriesId: row[0], runId: row[1], run: row[2]!, tag: row[3]!, writer: Number(row[4]) }));
}
