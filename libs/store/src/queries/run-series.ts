import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { ExperimentId, RunId, SeriesId, SeriesMeta } from '#model';
import type { IngestScope } from '../scope.ts';

/** A series as the worker needs it: its id and its immutable properties. */
export interface StoredSeries {
  readonly seriesId: SeriesId;
  /** The lane of the files that its points come from; 0 for nearly all. */
  readonly writer: number;
  readonly meta: SeriesMeta;
}

/** Identifies a series within its run. */
export function seriesKey(tag: string, twin: boolean, writer: number): string {
  return `${writer}${twin ? 't' : '='}${tag}`;
}

/**
 * SHA-256 of the UTF-8 bytes of a name: unique keys use it so that index rows have bounded size.
 */
export function nameHash(name: string): Buffer {
  return hash('sha256', name, 'buffer');
}

/** All series of a run. */
export async function readRunSeries({ trx, tenantId }: IngestScope, runId: RunId): Promise<StoredSeries[]> {
  const rows = await trx
    .selectFrom('series')
    .modifyFront(sql`/* prepared: read-run-series */`)
    .select(['series_id', 'tag', 'twin', 'writer', 'data_class', 'listed', 'plugin', 'plugin_content', 'display_name', 'description'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .execute();
  return rows.map((row) => ({
    seriesId: row.series_id,
    writer: row.writer,
    meta: {
      tag: row.tag,
      twin: row.twin,
      dataClass: row.data_class as SeriesMeta['dataClass'],
      listed: row.listed,
      plugin: row.plugin,
      pluginContent: row.plugin_content,
      displayName: row.display_name,
      description: row.description,
    },
  }));
}

// Postgres' text has no NUL. Tags with one are rejected (limits); in these descriptive texts a
// visible replacement loses nothing important.
const printable = (text: string): string => text.replaceAll('\0', '\u2400');

/**
 * Creates series of a writer that the run did not have; the caller holds the run, so no other
 * transaction creates them. Returns ids in the order of `metas`.
 */
export async function insertSeries(
  { trx, tenantId }: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  metas: readonly SeriesMeta[],
  writer: number,
): Promise<SeriesId[]> {
  const ids = new Map<string, SeriesId>();
  for (let at = 0; at < metas.length; at += 2_000) {
    const rows = await trx
      .insertInto('series')
      .values(
        metas.slice(at, at + 2_000).map((meta) => ({
          tenant_id: tenantId,
          experiment_id: experimentId,
          run_id: runId,
          tag: meta.tag,
          tag_hash: nameHash(meta.tag),
          twin: meta.twin,
          writer,
          data_class: meta.dataClass,
          listed: meta.listed,
          plugin: printable(meta.plugin),
          plugin_content: Buffer.from(meta.pluginContent),
          display_name: printable(meta.displayName),
          description: printable(meta.description),
        })),
      )
      .returning(['series_id', 'tag', 'twin'])
      .modifyEnd(sql`/* insert-series */`)
      .execute();
    for (const row of rows) ids.set(seriesKey(row.tag, row.twin, writer), row.series_id);
  }
  return metas.map((meta) => ids.get(seriesKey(meta.tag, meta.twin, writer))!);
}
