import { decodeBody } from '#chunks';
import type { FileId, RunId } from '#model';
import { tailsBySeries } from '#series';
import {
  countKeptFiles,
  countRuns,
  countValues,
  countWholeChunks,
  type DoomedSelection,
  listSelectedSeries,
  readCutChunks,
  readRunTails,
  type RunTotals,
  type Snapshot,
} from '#store';

/** The effect of a deletion on the data that is visible now. */
export interface DeletionPreview {
  readonly removed: RunTotals;
  /** Files that would be kept without the points, and their bytes. */
  readonly rewritten: { readonly files: number; readonly bytes: number };
  /**
   * Whether the counts are exact. If the step range cuts too many chunks to decode, all points of
   * some of these chunks are counted.
   */
  readonly exact: boolean;
}

const chunksAtOnce = 256;
/** Maximum chunks to decode: about a second of work. */
const maxCutChunks = 10_000;

/** The effect of deleting these runs. */
export async function previewRuns(snapshot: Snapshot, runIds: readonly RunId[]): Promise<DeletionPreview> {
  return { removed: await countRuns(snapshot, runIds), rewritten: { files: 0, bytes: 0 }, exact: true };
}

/** The effect of deleting points, including points in tails of live runs. */
export async function previewPoints(snapshot: Snapshot, selection: DoomedSelection): Promise<DeletionPreview> {
  const { fromStep, toStep, runIds } = selection;
  const inside = (step: bigint): boolean => (fromStep === null || step >= fromStep) && (toStep === null || step <= toStep);
  const wholeTags = fromStep === null && toStep === null;
  const seriesIds = await listSelectedSeries(snapshot, selection);
  const files = new Set<FileId>();
  let points = 0;
  let exact = true;
  const add = (count: number, fileIds: readonly FileId[]): void => {
    points += count;
    if (count > 0) for (const fileId of fileIds) files.add(fileId);
  };
  const whole = [
    await countWholeChunks(snapshot, seriesIds, selection),
    await countValues(snapshot, 'tensor_value', seriesIds, selection),
    await countValues(snapshot, 'blob_sequence_value', seriesIds, selection),
  ];
  for (const counted of whole) add(counted.points, counted.fileIds);
  let decoded = 0;
  for (let last = null, more = !wholeTags; more;) {
    const chunks = await readCutChunks(snapshot, seriesIds, selection, chunksAtOnce, last);
    for (const { body, count, fileId } of chunks) {
      exact &&= ++decoded <= maxCutChunks;
      add(exact ? decodeBody(body).points.steps.filter(inside).length : count, [fileId]);
    }
    last = chunks.at(-1) ?? null;
    more = chunks.length === chunksAtOnce;
  }
  for (const { pieces } of tailsBySeries(await readRunTails(snapshot, runIds), new Set(seriesIds)).values())
    for (const piece of pieces) add(piece.points.steps.filter(inside).length, [piece.fileId]);
  const removed = { runs: 0, files: 0, series: wholeTags ? seriesIds.length : 0, points, bytes: 0 };
  return { removed, rewritten: await countKeptFiles(snapshot, [...files]), exact };
}
