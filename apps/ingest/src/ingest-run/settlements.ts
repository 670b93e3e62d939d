import type { ExperimentId, FileId, RunId } from '#model';
import {
  settleSegments,
  writeFileProgress,
  writeFilesAsWriters,
  type FileProgressUpdate,
  type FileSegments,
  type IngestScope,
  type RunFile,
} from '#store';

/** A file's progress, without its writer properties. */
export type FileProgress = Omit<FileProgressUpdate, 'fileId' | 'writer'>;

/** The progress of a file that has not been read yet. */
export function untouched(file: RunFile): FileProgress {
  return { parsedOffset: file.parsedOffset, needsOffset: file.needsOffset, records: 0, unverified: 0, rejectedBytes: 0, ended: file.ended };
}

/**
 * Collects how far the files of a run were read, and writes this in one statement. A run has
 * several files, and a statement costs more than its rows.
 */
export class Settlements {
  readonly #progress: Omit<FileProgressUpdate, 'writer'>[] = [];
  readonly #segments: FileSegments[] = [];

  get isEmpty(): boolean {
    return this.#progress.length === 0;
  }

  /** Settles a file's pending segments that end at or before `readTo`. */
  add(file: RunFile, readTo: number, progress: FileProgress): void {
    const offsets = file.pending.filter((segment) => segment.offset + segment.length <= readTo).map((segment) => segment.offset);
    this.#progress.push({ fileId: file.fileId, ...progress });
    this.#segments.push({ fileId: file.fileId, offsets });
  }

  /** Number of settled segments per file. */
  counts(): (readonly [FileId, number])[] {
    return this.#segments.map(({ fileId, offsets }) => [fileId, offsets.length] as const);
  }

  /**
   * How far a file is parsed, according to the collected data. Undefined if nothing was collected
   * for it.
   */
  parsedOffset(fileId: FileId): number | undefined {
    return this.#progress.find((progress) => progress.fileId === fileId)?.parsedOffset;
  }

  /**
   * Writes the collected data, and the writer rows of `changed` files. Returns the settled
   * segments, by epoch.
   */
  async write(
    scope: IngestScope,
    run: { readonly experimentId: ExperimentId; readonly runId: RunId },
    files: readonly RunFile[],
    changed: ReadonlySet<FileId>,
  ): Promise<ReadonlyMap<number, number>> {
    const byId = new Map(files.map((file) => [file.fileId, file]));
    const progress = this.#progress.map((update) => ({ ...update, writer: byId.get(update.fileId)! }));
    const written = new Set(progress.map(({ fileId }) => fileId));
    const writers = [...changed].filter((fileId) => !written.has(fileId)).map((fileId) => byId.get(fileId)!);
    // Pipelined. Each call sends only one statement, so if a statement fails, none is sent after
    // the rollback.
    const [, , settled] = await Promise.all([
      progress.length > 0 && writeFileProgress(scope, progress),
      writers.length > 0 && writeFilesAsWriters(scope, writers),
      settleSegments(scope, run.experimentId, run.runId, this.#segments),
    ]);
    return settled;
  }
}
