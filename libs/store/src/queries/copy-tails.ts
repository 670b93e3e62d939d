import { sql } from 'kysely';
import { decodeTail, encodeTail } from '#chunks';
import type { FileId, RunId, SeriesId } from '#model';
import type { TenantScope } from '../scope.ts';

/** A block of the tail of a run that is copied. All fields are null if the runs have no tails. */
export interface SourceTail {
  readonly source_run: RunId | null;
  readonly run_id: RunId | null;
  readonly tail_no: string | null;
  readonly part: number | null;
  readonly level: number | null;
  readonly created_at: Date | null;
  readonly body: Buffer | null;
}

/**
 * Writes tail blocks for the copied runs: ids of series and files are replaced by those of the
 * copies. Points of series that were not copied are omitted.
 */
export async function copyTails(scope: TenantScope, tails: readonly SourceTail[]): Promise<void> {
  const { trx, tenantId } = scope;
  const byRun = Map.groupBy(
    tails.filter((tail) => tail.body !== null),
    (tail) => tail.source_run!,
  );
  for (const [sourceRun, blocks] of byRun) {
    const { series, files } = await mapIds(scope, sourceRun, blocks[0]!.run_id!);
    for (const block of blocks) {
      const entries = decodeTail(block.body!).flatMap((entry) => {
        const [seriesId, fileId] = [series.get(entry.seriesId), files.get(entry.fileId)];
        return seriesId === undefined || fileId === undefined ? [] : [{ ...entry, seriesId, fileId }];
      });
      if (entries.length === 0) continue;
      const ids = entries.map(({ seriesId }) => BigInt(seriesId));
      await trx
        .insertInto('run_tail')
        .values({
          tenant_id: tenantId,
          run_id: block.run_id!,
          tail_no: block.tail_no!,
          part: block.part!,
          level: block.level!,
          points: entries.reduce((sum, { points }) => sum + points.steps.length, 0),
          created_at: block.created_at!,
          first_series: String(ids.reduce((a, b) => (a < b ? a : b))),
          last_series: String(ids.reduce((a, b) => (a > b ? a : b))),
          body: encodeTail(entries),
        })
        .modifyEnd(sql`/* copy-tails */`)
        .execute();
    }
  }
}

/** The ids of the copied series and files of a run. */
async function mapIds(
  { trx, tenantId }: TenantScope,
  sourceRun: RunId,
  copiedRun: RunId,
): Promise<{ series: Map<SeriesId, SeriesId>; files: Map<FileId, FileId> }> {
  const { rows: series } = await sql<{ source: SeriesId; copy: SeriesId }>`
    /* map-ids-series */
    select o.series_id as source, n.series_id as copy from series o
    join series n on n.tenant_id = ${tenantId} and n.run_id = ${copiedRun} and n.tag_hash = o.tag_hash and n.twin = o.twin
    where o.tenant_id = ${tenantId} and o.run_id = ${sourceRun}`.execute(trx);
  const { rows: files } = await sql<{ source: FileId; copy: FileId }>`
    /* map-ids-event-file */
    select o.file_id as source, n.file_id as copy from event_file o
    join event_file n on n.tenant_id = ${tenantId} and n.run_id = ${copiedRun} and n.name_hash = o.name_hash and n.version = o.version
    where o.tenant_id = ${tenantId} and o.run_id = ${sourceRun}`.execute(trx);
  const mapOf = <Id>(rows: readonly { source: Id; copy: Id }[]) => new Map(rows.map((row) => [row.source, row.copy]));
  return { series: mapOf(series), files: mapOf(files) };
}
