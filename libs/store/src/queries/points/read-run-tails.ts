import type { RunId } from '#model';
import { arrayParameter, queryText, readBytes } from '../../text-result.ts';
import type { Snapshot } from '../../scope.ts';

/** One undecoded block of a run's tail. */
export interface StoredTail {
  readonly runId: RunId;
  readonly body: Buffer;
}

/** A run, and a range of its series ids. */
export interface SeriesRange {
  readonly runId: RunId;
  readonly firstSeries: string;
  readonly lastSeries: string;
}

const statement = {
  name: 'read-run-tails',
  text: `select t.run_id, t.body
    from unnest($2::int8[], $3::int8[], $4::int8[]) as w (run_id, first_series, last_series)
    join run_tail t on t.tenant_id = $1 and t.run_id = w.run_id and t.first_series <= w.last_series and t.last_series >= w.first_series
    order by t.run_id, t.tail_no, t.part`,
};

/**
 * The tail blocks of runs that may contain series in the range, with each run's oldest block first.
 * List each run only once.
 */
export async function readTailsOfSeries({ client, tenantId }: Snapshot, ranges: readonly SeriesRange[]): Promise<StoredTail[]> {
  if (ranges.length === 0) return [];
  const columns = [
    ranges.map(({ runId }) => runId),
    ranges.map(({ firstSeries }) => firstSeries),
    ranges.map(({ lastSeries }) => lastSeries),
  ];
  const rows = await queryText<readonly [RunId, string]>(client, statement, [tenantId, ...columns.map(arrayParameter)]);
  return rows.map((row) => ({ runId: row[0], body: readBytes(row[1]) }));
}

/** The tails of these runs, each run's oldest block first. */
export async function readRunTails(snapshot: Snapshot, runIds: readonly RunId[]): Promise<StoredTail[]> {
  return readTailsOfSeries(
    snapshot,
    runIds.map((runId) => ({ runId, firstSeries: '0', lastSeries: '9223372036854775807' })),
  );
}
