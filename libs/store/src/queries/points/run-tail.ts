import { sql } from 'kysely';
import type { RunId, SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** The tail rows of one commit, or of several merged ones, without their blocks. */
export interface TailHead {
  readonly tailNo: number;
  readonly level: number;
  readonly points: number;
  /** By the clock of the database, which all processes share. */
  readonly ageMs: number;
}

/** One of its blocks, for the series with ids from `firstSeries` to `lastSeries`. */
export interface NewTailPart {
  readonly firstSeries: string;
  readonly lastSeries: string;
  readonly points: number;
  readonly body: Buffer;
}

/** The tail of a run, oldest first. */
export async function readTailHeads({ trx, tenantId }: IngestScope, runId: RunId): Promise<TailHead[]> {
  const rows = await trx
    .selectFrom('run_tail')
    .modifyFront(sql`/* prepared: read-tail-heads */`)
    .select([
      'tail_no',
      'level',
      sql<string>`sum(points)`.as('points'),
      sql<number>`(extract(epoch from now() - min(created_at)) * 1000)::float8`.as('age_ms'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .groupBy(['tail_no', 'level'])
    .orderBy('tail_no')
    .execute();
  return rows.map((row) => ({
    tailNo: Number(row.tail_no),
    level: row.level,
    points: Number(row.points),
    ageMs: row.age_ms,
  }));
}

/** Encoded blocks of a run's tail from `fromTailNo` on, oldest first. */
export async function readTailBlocks({ trx, tenantId }: IngestScope, runId: RunId, fromTailNo: number): Promise<Buffer[]> {
  const rows = await trx
    .selectFrom('run_tail')
    .modifyFront(sql`/* prepared: read-tail-blocks */`)
    .select('body')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('tail_no', '>=', String(fromTailNo))
    .orderBy('tail_no')
    .orderBy('part')
    .execute();
  return rows.map((row) => row.body);
}

/**
 * Adds blocks to the end of a run's tail, under one number. The caller holds the run, so numbers
 * cannot collide.
 */
export async function insertTail(
  { trx, tenantId }: IngestScope,
  runId: RunId,
  head: Pick<TailHead, 'tailNo' | 'level' | 'ageMs'>,
  parts: readonly NewTailPart[],
): Promise<void> {
  await trx
    .insertInto('run_tail')
    .values(
      parts.map(({ firstSeries, lastSeries, points, body }, part) => ({
        tenant_id: tenantId,
        run_id: runId,
        tail_no: String(head.tailNo),
        part,
        level: head.level,
        points,
        created_at: sql<Date>`now() - make_interval(secs => ${head.ageMs / 1000})`,
        first_series: firstSeries,
        last_series: lastSeries,
        body,
      })),
    )
    .modifyEnd(sql`/* insert-tail */`)
    .execute();
}

/** Removes the rows from `fromTailNo` on, whose points move to chunks or another row. */
export async function deleteTail({ trx, tenantId }: IngestScope, runId: RunId, fromTailNo: number): Promise<void> {
  await trx
    .deleteFrom('run_tail')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('tail_no', '>=', String(fromTailNo))
    .modifyEnd(sql`/* delete-tail */`)
    .execute();
}

/**
 * The last effective step of each of these series in its chunks; series without chunks are omitted.
 */
export async function readLastChunkSteps({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<Map<SeriesId, bigint>> {
  const { rows } = await sql<{ series_id: SeriesId; last_step: string }>`
    /* prepared: read-last-chunk-steps */ select series_id, last_step from series_stats
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) and last_step is not null`.execute(trx);
  return new Map(rows.map((row) => [row.series_id, BigInt(row.last_step)]));
}

/**
 * Whether every file of the run is complete and read to its end, so its tail need not wait for
 * more.
 */
export async function isRunFinished({ trx, tenantId }: IngestScope, runId: RunId): Promise<boolean> {
  const { rows } = await sql<{ finished: boolean }>`
    /* prepared: is-run-finished */ select bool_and(completed_bytes is not null and completed_bytes = durable_offset) as finished
    from event_file where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
  return rows[0]?.finished ?? false;
}
