import { type PartBounds, type SeriesPart, walkExperiment } from '#series';
import { snapshot as openSnapshot, type SnapshotPlace } from '#snapshots';
import type { Snapshot } from '#store';
import { type ScalarRange, type TableFormat, tablePieces } from '#tables';
import { eventFiles } from './event-files.ts';
import { exportElements, type ExportedFile, type ExportManifest, type LeftOutFile } from './export-elements.ts';
import { originalFiles, type OriginalSource } from './original-files.ts';
import { type ExportSelection, formatVersion, viewOf } from './export-selection.ts';
import type { ExportSurvey } from './survey-export.ts';

/** Dependencies of an export writer. */
export interface ExportWriting {
  readonly place: SnapshotPlace;
  /** Access to event files as uploaded. */
  readonly originals: OriginalSource;
  readonly survey: ExportSurvey;
  /**
   * True if no other process writes this export. An unfinished attempt is then dead, and is taken
   * over immediately.
   */
  readonly takesOver: boolean;
  /** Called with the points and bytes read so far. May throw to stop; nothing is kept then. */
  readonly onProgress: (progress: ExportProgress) => void;
}

/** Export progress: bytes read if the format is `raw`, otherwise scalar points. */
export interface ExportProgress {
  readonly points: number;
  readonly bytes: number;
}

/** The files, whether just written or already existing. */
export interface WrittenExport {
  /** `PASSTHROUGH` means that another process is writing the same content, and nothing was done. */
  readonly state: 'WRITE' | 'READ' | 'PASSTHROUGH';
  /** False if another process took over. This process has then deleted its own data. */
  readonly isFinal: boolean;
}

const bounds: PartBounds = { points: 100_000, tensorBytes: 8 * 1024 * 1024, blobs: 64 };

/**
 * Writes an export to the snapshot with its fingerprint, unless it already exists. All values come
 * from one database snapshot, which `survey` describes. Memory is bounded, regardless of the size.
 */
export async function writeExport(database: Snapshot, selection: ExportSelection, writing: ExportWriting): Promise<WrittenExport> {
  const { place, survey } = writing;
  const source = (): AsyncIterable<Uint8Array> => {
    let points = 0;
    const onScalars = (more: number): void => {
      points += more;
      writing.onProgress({ points, bytes: 0 });
    };
    const counted = async function* (): AsyncGenerator<SeriesPart> {
      const parts = walkExperiment(
        database,
        { experimentId: selection.experimentId, view: viewOf(selection), classes: ['scalar'] },
        bounds,
      );
      for await (const part of parts) {
        onScalars('points' in part ? part.points.steps.length : 0);
        yield part;
      }
    };
    const { format, experimentId, runs, tags } = selection;
    const about = { format, version: formatVersion, experiment: experimentId, runs, tags, frontier: survey.frontier };
    if (format === 'raw') {
      const leftOut: LeftOutFile[] = [];
      const originals = originalFiles(database, selection, writing.originals, (file) => leftOut.push(file));
      const files = countBytes(originals, (bytes) => writing.onProgress({ points: 0, bytes }));
      return exportElements(files, (written): ExportManifest => ({ ...about, files: written, left_out: leftOut }));
    }
    const files =
      format === 'events' ? eventFiles({ database, experimentId, runs, tags, place, onScalars }) : tableFile(format, survey, counted());
    return exportElements(files, (written): ExportManifest => ({ ...about, points, files: written }));
  };
  const result = await openSnapshot(source, {
    ...place,
    fingerprint: survey.fingerprint,
    // An element is a chunk, so that a range of a file can be read without the preceding elements.
    chunkBytes: 1,
    ...(selection.format === 'parquet' && { compression: 'none' }), // its pages are compressed
    ...(writing.takesOver && { pendingExpirySeconds: -1 }),
  });
  if (result.state !== 'WRITE') return { state: result.state, isFinal: result.state === 'READ' };
  for await (const _ of result.elements);
  return { state: 'WRITE', isFinal: result.isFinal };
}

async function* countBytes(files: AsyncIterable<ExportedFile>, onBytes: (bytes: number) => void): AsyncGenerator<ExportedFile> {
  let bytes = 0;
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    onBytes(bytes);
    for await (const piece of pieces) {
      bytes += piece.length;
      onBytes(bytes);
      yield piece;
    }
  };
  for await (const file of files) yield { ...file, pieces: counted(file.pieces) };
}

async function* tableFile(format: TableFormat, survey: ExportSurvey, parts: AsyncIterable<SeriesPart>): AsyncGenerator<ExportedFile> {
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
