import { cutSeries, decodeBody, flipInPlacePoints, markSuperseded, settledPoints, updateSeries, type ChunkHead, type PreparedUpdate } from '#chunks';
import {
  chunkName,
  copyChunks,
  countFilePoints,
  deleteChunks,
  flipChunks,
  readChunkBodies,
  readChunkHeads,
  refreshScalarStats,
  type ChunkName,
  type ChunkRow,
  type IngestTransaction,
  type StoredChunkHead,
  type StoredSessionStart,
} from '#store';
import type { RunPlaces, SessionCut } from './run-places.ts';
import type { BatchPlace, BatchSeries } from './store-values.ts';

/** An update of one series that is planned and waits for the bodies it needs. */
interface SeriesPlan {
  readonly seriesId: string;
  readonly update: PreparedUpdate;
}

/** Stores the scalar points of a batch as chunks, with the restart rule applied to them and to what is stored (data rule 2). */
export async function storeScalars(
  ingest: IngestTransaction,
  place: BatchPlace,
  series: readonly BatchSeries[],
  knownStarts: readonly StoredSessionStart[],
): Promise<void> {
  const { trx } = ingest;
  const { tenantId, fileId, places, orderCuts } = place;
  const scalars = series.flatMap((entry) => {
    const points = entry.batch.scalars;
    return points && points.steps.length > 0 ? [{ ...entry, points, starts: orderCuts.startsFor(entry.index) }] : [];
  });
  if (scalars.length === 0) return;
  const rank = places.rank(fileId);
  const ids = scalars.map((entry) => entry.seriesId);
  const filters = scalars.map((entry) => {
    const counting = entry.starts.filter((start) => start.cuts);
    return { seriesId: entry.seriesId, fromStep: markSuperseded(entry.points.steps, counting, null).minStep! };
  });
  const heads = headsBySeries(
    await readChunkHeads(trx, tenantId, filters, {
      fileId,
      effectiveBelow: settledPoints,
      supersededBelow: flipInPlacePoints,
      laterFiles: places.after(rank),
    }),
    places,
  );
  const filePoints = await countFilePoints(trx, tenantId, ids, fileId);
  const afterOffset = knownStarts.reduce((last, start) => (start.fileId === fileId ? Math.max(last, start.offset) : last), 0);
  const plans = scalars.map((entry) => ({
    seriesId: entry.seriesId,
    update: updateSeries(heads.get(entry.seriesId) ?? [], {
      fileId,
      fileRank: rank,
      firstOrdinal: filePoints.get(entry.seriesId) ?? 0,
      afterOffset,
      points: entry.points,
      starts: entry.starts,
      laterCut: orderCuts.laterCut,
    }),
  }));
  await carryOut(ingest, tenantId, plans);
}

/** Applies STARTs that newly count to the stored chunks of these series. */
export async function cutStoredScalars(
  ingest: IngestTransaction,
  tenantId: string,
  places: RunPlaces,
  cuts: readonly SessionCut[],
  seriesIds: readonly string[],
): Promise<void> {
  if (seriesIds.length === 0) return;
  for (const cut of cuts) {
    const filters = seriesIds.map((seriesId) => ({ seriesId, fromStep: cut.step }));
    const small = { fileId: null, effectiveBelow: 0, supersededBelow: flipInPlacePoints, laterFiles: [] };
    const heads = headsBySeries(await readChunkHeads(ingest.trx, tenantId, filters, small), places);
    const plans = [...heads].map(([seriesId, own]) => ({
      seriesId,
      update: cutSeries(own, { fileRank: cut.rank, offset: cut.offset, step: cut.step }),
    }));
    await carryOut(ingest, tenantId, plans);
  }
}

function headsBySeries(stored: readonly StoredChunkHead[], places: RunPlaces): Map<string, ChunkHead[]> {
  const heads = new Map<string, ChunkHead[]>();
  for (const { seriesId, ...head } of stored) {
    const own = heads.get(seriesId) ?? [];
    own.push({ ...head, fileRank: places.rank(head.key.fileId) });
    heads.set(seriesId, own);
  }
  return heads;
}

async function carryOut({ trx, client }: IngestTransaction, tenantId: string, plans: readonly SeriesPlan[]): Promise<void> {
  const needed = plans.flatMap((plan) => plan.update.needed.map((head): ChunkName => ({ seriesId: plan.seriesId, key: head.key })));
  const bodies = await readChunkBodies(trx, tenantId, needed);
  const remove: ChunkName[] = [];
  const flip: ChunkName[] = [];
  const insert: ChunkRow[] = [];
  const changed: string[] = [];
  for (const { seriesId, update } of plans) {
    const done = update.finish((key) => {
      const body = bodies.get(chunkName({ seriesId, key }));
      if (!body) throw new Error(`chunk ${chunkName({ seriesId, key })} is gone`);
      return decodeBody(body);
    });
    for (const key of done.remove) remove.push({ seriesId, key });
    for (const key of done.flip) flip.push({ seriesId, key });
    for (const draft of done.insert) insert.push({ seriesId, draft });
    if (done.remove.length + done.flip.length + done.insert.length > 0) changed.push(seriesId);
  }
  await deleteChunks(trx, tenantId, remove);
  await flipChunks(trx, tenantId, flip);
  await copyChunks(client, tenantId, insert);
  await refreshScalarStats(trx, tenantId, changed);
}
