import { concatPoints, decodeTail, markSessions, oneAfterAnother, rises, type TailEntry } from '#chunks';
import { emptyPoints, type FileId, type PointColumns, type SeriesId } from '#model';
import type { StoredTail } from '#store';

/** The part of a live run's tail that belongs to one series, in log order. */
export interface SeriesTail {
  /** Points with rising steps, which readers see by default. */
  readonly effective: PointColumns;
  /** The file of the effective point with this index, and the point's ordinal in that file. */
  readonly placeAt: (index: number) => Place;
  /** All points, in pieces of one file each, with their marks. */
  readonly pieces: readonly TailPiece[];
}

/** A point's position in log order: its file, and its ordinal in that file. */
export interface Place {
  readonly fileId: FileId;
  readonly ordinal: number;
}

/** Consecutive points of one file. */
export interface TailPiece {
  readonly fileId: FileId;
  readonly firstOrdinal: number;
  readonly points: PointColumns;
  /** 1 for superseded points. */
  readonly superseded: Uint8Array;
}

/**
 * Decodes the tails of runs, or only their `wanted` series. Returns a map from series ids to their
 * points. Applies the restart rule (data rule 2) within the tail. Chunks are not affected, because
 * a worker cuts the tail into chunks before it adds a point that would supersede a point in a
 * chunk.
 */
export function tailsBySeries(tails: readonly StoredTail[], wanted: ReadonlySet<SeriesId> | null = null): Map<SeriesId, SeriesTail> {
  const entries = new Map<SeriesId, TailEntry[]>();
  for (const { body } of tails) {
    for (const entry of decodeTail(body, wanted)) {
      const known = entries.get(entry.seriesId);
      if (known) known.push(entry);
      else entries.set(entry.seriesId, [entry]);
    }
  }
  return new Map([...entries].map(([seriesId, list]) => [seriesId, seriesTail(list)]));
}

function seriesTail(entries: readonly TailEntry[]): SeriesTail {
  const all = concatPoints(entries.map((entry) => entry.points));
  const { superseded, count } = markTail(entries, all.steps);
  const pieces: TailPiece[] = [];
  let at = 0;
  for (const { fileId, firstOrdinal, points } of entries) {
    const marks = superseded.subarray(at, at + points.steps.length);
    pieces.push({ fileId, firstOrdinal, points, superseded: marks });
    at += points.steps.length;
  }
  if (count === 0 && rises(all.steps)) return { effective: all, placeAt: (index) => placeIn(entries, index), pieces };
  const kept: number[] = [];
  superseded.forEach((mark, i) => {
    if (mark === 0) kept.push(i);
  });
  kept.sort((a, b) => (all.steps[a]! < all.steps[b]! ? -1 : 1));
  return { effective: pickPoints(all, kept), placeAt: (index) => placeIn(entries, kept[index]!), pieces };
}

/**
 * Applies data rule 2 within a tail: entries of one file are consecutive, without a START among
 * them, and files of one series follow each other.
 */
function markTail(entries: readonly TailEntry[], steps: BigInt64Array): { superseded: Uint8Array; count: number } {
  if (rises(steps)) return { superseded: new Uint8Array(steps.length), count: 0 };
  const sessions: { fileRank: number; afterOffset: number; from: number; to: number; fileId: FileId }[] = [];
  let at = 0;
  for (const { fileId, points } of entries) {
    const to = at + points.steps.length;
    const last = sessions.at(-1);
    if (last?.fileId === fileId) last.to = to;
    else sessions.push({ fileId, fileRank: sessions.length, afterOffset: 0, from: at, to });
    at = to;
  }
  const marks = markSessions(
    sessions.map(({ fileRank, afterOffset, from, to }) => ({ fileRank, afterOffset, steps: steps.subarray(from, to) })),
    [],
    oneAfterAnother(sessions.length),
  );
  const superseded = new Uint8Array(steps.length);
  marks.forEach((mask, i) => superseded.set(mask, sessions[i]!.from));
  return { superseded, count: superseded.reduce((sum, mark) => sum + mark, 0) };
}

/** The position of one of the entries' points, counted across entries. */
function placeIn(entries: readonly TailEntry[], index: number): Place {
  let left = index;
  for (const { fileId, firstOrdinal, points } of entries) {
    if (left < points.steps.length) return { fileId, ordinal: firstOrdinal + left };
    left -= points.steps.length;
  }
  throw new RangeError(`the tail has no point ${index}`);
}

/** The points at these indices. */
export function pickPoints(points: PointColumns, indices: ArrayLike<number>): PointColumns {
  const out = {
    steps: new BigInt64Array(indices.length),
    wallTimes: new Float64Array(indices.length),
    values: new Float64Array(indices.length),
  };
  for (let i = 0; i < indices.length; i++) {
    const from = indices[i]!;
    out.steps[i] = points.steps[from]!;
    out.wallTimes[i] = points.wallTimes[from]!;
    out.values[i] = points.values[from]!;
  }
  return out;
}

/** A series without a tail. */
export const noTail: SeriesTail = { effective: emptyPoints(), placeAt: (index) => placeIn([], index), pieces: [] };
