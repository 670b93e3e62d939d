import { sql } from 'kysely';
import type { RunId } from '#model';
import type { IngestScope } from '../../scope.ts';
import type { TailHead } from './read-tail.ts';

/** A tail block for the series with ids from `firstSeries` to `lastSeries`. */
export interface NewTailPart {
  readonly firstSeries: string;
  readonly lastSeries: string;
  readonly points: number;
  readonly body: Buffer;
}

/**
 * Adds blocks to the end of a run's tail under one number. The caller holds the run, so numbers
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
