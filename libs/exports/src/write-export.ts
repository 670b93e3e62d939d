import { type PartBounds, type SeriesPart, walkExperiment } from '#series';
import { snapshot as openSnapshot, type SnapshotPlace } from '#snapshots';
import type { Snapshot } from '#store';
import { type ScalarRange, tablePieces } from '#tables';
import { exportElements, type ExportedFile, type ExportManifest } from './export-elements.ts';
import { type ExportSelection, formatVersion, viewOf } from './export-selection.ts';
import type { ExportSurvey } from './survey-export.ts';

/** What the writer of an export needs. */
export interface ExportWriting {
  readonly place: SnapshotPlace;
  readonly survey: ExportSurvey;
  /** No other process writes this export: one that has not finished is dead, and is taken over at once. */
  readonly takesOver: boolean;
  /** Called as points are read; throws to stop, and then nothing is kept. */
  readonly onPoints: (points: number) => void;
}

/** What was written, or was there. */
export interface WrittenExport {
  /** `PASSTHROUGH`: another process is writing the same; nothing was done. */
  readonly state: 'WRITE' | 'READ' | 'PASSTHROUGH';
  /** False: another process took over, and this one has deleted what it wrote. */
  readonly isFinal: boolean;
}

const bounds: PartBounds = { points: 100_000, tensorBytes: 8 * 1024 * 1024, blobs: 64 };

/**
 * Writes an export into the snapshot of its fingerprint, unless it is there. All values come from
 * one snapshot of the database, whose survey is given. Memory is bounded, whatever the size.
 */
export async function writeExport(database: Snapshot, selection: ExportSelection, writing: ExportWriting): Promise<WrittenExport> {
  const { place, survey } = writing;
  const source = (): AsyncIterable<Uint8Array> => {
    let points = 0;
    const counted = async function* (): AsyncGenerator<SeriesPart> {
      const parts = walkExperiment(
        database,
        { experimentId: selection.experimentId, view: viewOf(selection), classes: ['scalar'] },
        bounds,
      );
      for await (const part of parts) {
        if ('points' in part) points += part.points.steps.length;
        writing.onPoints(points);
        yield part;
      }
    };
    return exportElements(filesOf(selection, survey, counted()), (files): ExportManifest => {
      const { experimentId: experiment, format, runs, tags } = selection;
      return { format, version: formatVersion, experiment, runs, tags, frontier: survey.frontier, points, files };
    });
  };
  const result = await openSnapshot(source, {
    ...place,
    fingerprint: survey.fingerprint,
    // An element is a chunk, so that a range of a file is read without what precedes it.
    chunkBytes: 1,
    ...(selection.format === 'parquet' && { compression: 'none' }), // its pages are compressed
    ...(writing.takesOver && { pendingExpirySeconds: -1 }),
  });
  if (result.state !== 'WRITE') return { state: result.state, isFinal: result.state === 'READ' };
  for await (const _ of result.elements);
  return { state: 'WRITE', isFinal: result.isFinal };
}

async function* filesOf(selection: ExportSelection, survey: ExportSurvey, parts: AsyncIterable<SeriesPart>): AsyncGenerator<ExportedFile> {
  const { format } = selection;
  const columns = { superseded: false, writer: survey.severalWriters };
  yield { path: `scalars.${format}`, pieces: await tablePieces(scalarRanges(parts), { format, columns }) };
}

async function* scalarRanges(parts: AsyncIterable<SeriesPart>): AsyncGenerator<ScalarRange> {
  for await (const part of parts) {
    if (!('points' in part)) continue;
    const { run, tag, writer } = part.series;
    yield { run, tag, writer, ...part.points, superseded: null };
  }
}
