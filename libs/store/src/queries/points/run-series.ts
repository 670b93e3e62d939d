import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { ExperimentId, RunId, SeriesId, SeriesMeta, TagName } from '#model';
import { retryIds } from '../../row-ids.ts';
import type { IngestScope } from '../../scope.ts';

/** A series as the worker needs it, with its id and immutable properties. */
export interface StoredSeries {
  readonly seriesId: SeriesId;
  /** The lane of the files that its points come from. 0 for nearly all series. */
  readonly writer: number;
  readonly meta: SeriesMeta;
}

/** Identifies a series within its run. */
export function seriesKey(tag: TagName, twin: boolean, writer: number): string {
  return `${writer}${twin ? 't' : '='}${tag}`;
}

/** SHA-256 of a name's UTF-8 bytes. Unique keys use it so that index rows have a bounded size. */
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

// Postgres text cannot contain NUL. Tags with NUL are rejected (limits); in these descriptive
// fields, a visible replacement loses nothing important.
const printable = (text: string): string => text.replaceAll('\0', '\u2400');

/**
 * Creates a writer's series that the run did not have. The caller holds the run, so no other
 * transaction creates them. Returns IDs in the order of `metas`.
 */
export async function insertSeries(
  scope: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  metas: readonly SeriesMeta[],
  writer: number,
): Promise<SeriesId[]> {
  const ids = new Map<string, SeriesId>();
  const isMissing = (meta: SeriesMeta) => !ids.has(seriesKey(meta.tag, meta.twin, writer));
  for (let at = 0; at < metas.length; at += 2_000) {
    const some = metas.slice(at, at + 2_000);
    await retryIds(scope.rowIds, experimentId, async () => {
      const rows = await insertSome(scope, { experimentId, runId, writer }, some.filter(isMissing));
      for (const row of rows) ids.set(seriesKey(row.tag, row.twin, writer), row.series_id);
      return some.some(isMissing) ? undefined : true;
    });
  }
  return metas.map((meta) => ids.get(seriesKey(meta.tag, meta.twin, writer))!);
}

/** Returns the created rows. These are all rows unless IDs are already in use. */
async function insertSome(
  { trx, tenantId, rowIds }: IngestScope,
  { experimentId, runId, writer }: { readonly experimentId: ExperimentId; readonly runId: RunId; readonly writer: number },
  metas: readonly SeriesMeta[],
): Promise<readonly { readonly series_id: SeriesId; readonly tag: TagName; readonly twin: boolean }[]> {
  const first = rowIds.take(experimentId, metas.length);
  const values = metas.map(
    (meta, i) => sql`(${tenantId}, ${first + i}, ${experimentId}, ${runId}, ${meta.tag}, ${nameHash(meta.tag)}, ${meta.twin}, ${writer},
      ${meta.dataClass}, ${meta.listed}, ${printable(meta.plugin)}, ${Buffer.from(meta.pluginContent)}, ${printable(meta.displayName)},
      ${printable(meta.description)})`,
  );
  const { rows } = await sql<{ series_id: SeriesId; tag: TagName; twin: boolean }>`
    /* insert-series */
    insert into series (tenant_id, series_id, experiment_id, run_id, tag, tag_hash, twin, writer, data_class, listed, plugin, plugin_content,
      display_name, description) overriding system value
    values ${sql.join(values)}
    on conflict do nothing returning series_id, tag, twin`.execute(trx);
  return rows;
}
