import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** A file of a run with what the worker knows of it and its pending segments (in order of offset, contiguous with the durable prefix). */
export interface RunFile {
  readonly fileId: string;
  readonly name: string;
  readonly version: number;
  readonly parsedOffset: number;
  readonly needsOffset: number;
  readonly ended: boolean;
  readonly pending: readonly { readonly offset: number; readonly length: number }[];
}

/** All files of the run, in no particular order (the caller sorts them by log order). */
export async function readRunFiles(trx: Kysely<Database>, tenantId: string, experimentId: string, runId: string): Promise<RunFile[]> {
  const rows = await trx
    .selectFrom('event_file as f')
    .innerJoin('file_progress as p', (join) => join.onRef('p.tenant_id', '=', 'f.tenant_id').onRef('p.file_id', '=', 'f.file_id'))
    .leftJoin('pending_segment as s', (join) =>
      join
        .onRef('s.tenant_id', '=', 'f.tenant_id')
        .onRef('s.file_id', '=', 'f.file_id')
        .on('s.experiment_id', '=', experimentId)
        .on('s.run_id', '=', runId),
    )
    .select(['f.file_id', 'f.name', 'f.version', 'p.parsed_offset', 'p.needs_offset', 'p.ended'])
    .select([
      sql<string[] | null>`array_agg(s."offset"::text order by s."offset") filter (where s."offset" is not null)`.as('offsets'),
      sql<number[] | null>`array_agg(s.length order by s."offset") filter (where s."offset" is not null)`.as('lengths'),
    ])
    .where('f.tenant_id', '=', tenantId)
    .where('f.run_id', '=', runId)
    .groupBy(['f.file_id', 'f.name', 'f.version', 'p.parsed_offset', 'p.needs_offset', 'p.ended'])
    .execute();
  return rows.map((row) => ({
    fileId: row.file_id,
    name: row.name,
    version: row.version,
    parsedOffset: Number(row.parsed_offset),
    needsOffset: Number(row.needs_offset),
    ended: row.ended,
    pending: (row.offsets ?? []).map((offset, i) => ({ offset: Number(offset), length: row.lengths![i]! })),
  }));
}
