import { sql } from 'kysely';
import type { RunId, SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** The tail rows of one commit, or of several merged commits, without their blocks. */
export interface TailHead {
  readonly tailNo: number;
  readonly level: number;
  readonly points: number;
  /** By the database's clock, which all processes share. */
  readonly ageMs: number;
}

/** A run's tail, oldest first. */
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
 * The last effective step in the chunks of each of these series. Series without chunks are omitted.
 */
export async function readLastChunkSteps({ trx, tenantId }: IngestScope, seriesIds: readonly SeriesId[]): Promise<Map<SeriesId, bigint>> {
  const { rows } = await sql<{ series_id: SeriesId; last_step: string }>`
    /* prepared: read-last-chunk-steps */ select series_id, last_step from series_stats
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) and last_step is not null`.execute(trx);
  return new Map(rows.map((row) => [row.series_id, BigInt(row.last_step)]));
}
