import { sql } from 'kysely';
import { decodeTail, encodeTail } from '#chunks';
import type { FileId, RunId, SeriesId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Memory limits: the IDs of this many runs, and this many bytes of blocks (or one larger block), at
 * a time.
 */
interface Slices {
  readonly runs: number;
  readonly bytes: number;
}

const defaultSlices: Slices = { runs: 500, bytes: 4 * 1024 * 1024 };

/** A block in a tail. */
interface TailKey {
  readonly run_id: RunId;
  readonly tail_no: string;
  readonly part: number;
}

/** The copies of series and files, by source. */
interface CopiedIds {
  readonly series: ReadonlyMap<SeriesId, SeriesId>;
  readonly files: ReadonlyMap<FileId, FileId>;
}

/**
 * Makes the tail blocks of copied runs refer to the series and files of the copies instead of the
 * sources. Points of series that were not copied are removed. `runs` pairs each source with its
 * copy. Works in slices, because an experiment can have tails of 10,000 runs.
 */
export async function renameTails(
  scope: TenantScope,
  runs: readonly (readonly [source: RunId, copy: RunId])[],
  slices: Slices = defaultSlices,
): Promise<void> {
  for (let i = 0; i < runs.length; i += slices.runs) {
    const slice = runs.slice(i, i + slices.runs);
    const ids = await mapIds(scope, slice);
    const copies = slice.map(([, copy]) => copy);
    for (const keys of await listTails(scope, copies, slices.bytes)) await renameBlocks(scope, keys, ids);
  }
}

/** The ids of the copied series and files in some runs. */
async function mapIds({ trx, tenantId }: TenantScope, runs: readonly (readonly [RunId, RunId])[]): Promise<CopiedIds> {
  const [sources, copies] = [runs.map(([source]) => source), runs.map(([, copy]) => copy)];
  const { rows: series } = await sql<{ source: SeriesId; copy: SeriesId }>`
    /* map-ids-series */
    select o.series_id as source, n.series_id as copy
    from unnest(${sources}::bigint[], ${copies}::bigint[]) as k(source, copy)
    join series o on o.tenant_id = ${tenantId} and o.run_id = k.source
    join series n on n.tenant_id = ${tenantId} and n.run_id = k.copy and n.tag_hash = o.tag_hash and n.twin = o.twin and n.writer = o.writer`.execute(
    trx,
  );
  const { rows: files } = await sql<{ source: FileId; copy: FileId }>`
    /* map-ids-event-file */
    select o.file_id as source, n.file_id as copy
    from unnest(${sources}::bigint[], ${copies}::bigint[]) as k(source, copy)
    join event_file o on o.tenant_id = ${tenantId} and o.run_id = k.source
    join event_file n on n.tenant_id = ${tenantId} and n.run_id = k.copy and n.name_hash = o.name_hash and n.version = o.version`.execute(
    trx,
  );
  const mapOf = <Id>(rows: readonly { source: Id; copy: Id }[]) => new Map(rows.map((row) => [row.source, row.copy]));
  return { series: mapOf(series), files: mapOf(files) };
}

/** The blocks of some runs, in groups that fit in memory. */
async function listTails({ trx, tenantId }: TenantScope, runs: readonly RunId[], maxBytes: number): Promise<TailKey[][]> {
  const { rows } = await sql<TailKey & { bytes: number }>`
    /* list-copied-tails */
    select run_id, tail_no, part, length(body) as bytes from run_tail
    where tenant_id = ${tenantId} and run_id = any(${runs}::bigint[])
    order by run_id, tail_no, part`.execute(trx);
  const groups: TailKey[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes > maxBytes) {
      groups.push([]);
      bytes = row.bytes;
    }
    groups.at(-1)!.push(row);
  }
  return groups;
}

async function renameBlocks({ trx, tenantId }: TenantScope, keys: readonly TailKey[], { series, files }: CopiedIds): Promise<void> {
  const unnestKeys = (of: readonly TailKey[]) => sql`
    ${of.map((key) => key.run_id)}::bigint[], ${of.map((key) => key.tail_no)}::bigint[], ${of.map((key) => key.part)}::smallint[]`;
  const { rows } = await sql<TailKey & { body: Buffer }>`
    /* read-copied-tails */
    select t.run_id, t.tail_no, t.part, t.body
    from unnest(${unnestKeys(keys)}) as k(run_id, tail_no, part)
    join run_tail t on t.tenant_id = ${tenantId} and t.run_id = k.run_id and t.tail_no = k.tail_no and t.part = k.part`.execute(trx);
  const blocks = rows.map((block) => ({
    block,
    entries: decodeTail(block.body).flatMap((entry) => {
      const [seriesId, fileId] = [series.get(entry.seriesId), files.get(entry.fileId)];
      return seriesId === undefined || fileId === undefined ? [] : [{ ...entry, seriesId, fileId }];
    }),
  }));
  const empty = blocks.filter(({ entries }) => entries.length === 0).map(({ block }) => block);
  if (empty.length > 0)
    await sql`/* remove-copied-tails */
      delete from run_tail t using unnest(${unnestKeys(empty)}) as k(run_id, tail_no, part)
      where t.tenant_id = ${tenantId} and t.run_id = k.run_id and t.tail_no = k.tail_no and t.part = k.part`.execute(trx);
  const kept = blocks.filter(({ entries }) => entries.length > 0);
  if (kept.length === 0) return;
  const idsOf = kept.map(({ entries }) => entries.map(({ seriesId }) => BigInt(seriesId)));
  const points = kept.map(({ entries }) => entries.reduce((sum, entry) => sum + entry.points.steps.length, 0));
  const first = idsOf.map((ids) => String(ids.reduce((a, b) => (a < b ? a : b))));
  const last = idsOf.map((ids) => String(ids.reduce((a, b) => (a > b ? a : b))));
  const bodies = kept.map(({ entries }) => Buffer.from(encodeTail(entries)));
  await sql`/* rename-tails */
    update run_tail t set points = k.points, first_series = k.first_series, last_series = k.last_series, body = k.body
    from unnest(${unnestKeys(kept.map(({ block }) => block))}, ${points}::integer[], ${first}::bigint[], ${last}::bigint[], ${bodies}::bytea[])
      as k(run_id, tail_no, part, points, first_series, last_series, body)
    where t.tenant_id = ${tenantId} and t.run_id = k.run_id and t.tail_no = k.tail_no and t.part = k.part`.execute(trx);
}
