import type { BlobStore } from '#blobs';
import type { FileId, RunId } from '#model';
import { readFileBytes } from '#originals';
import { readFile, writeCountsFrom, type IngestScope, type RunFile } from '#store';
import { findCopies } from './find-copies.ts';
import { isUnknown, learnWriters } from './learn-writers.ts';
import { parseRange, type ParsedRange } from './parse-range.ts';
import { RunFileOrder } from './run-file-order.ts';
import type { RunPoints } from './run-points.ts';
import type { Settlements } from './settlements.ts';

/**
 * Keeps the files of a run in the right order as more bytes are read, and tracks which files are
 * copies of another file. Updates the stored points after each change.
 */
export class FileRelations {
  /** Files whose writer row must be written even if none of their bytes were read. */
  readonly changed = new Set<FileId>();
  readonly #scope: IngestScope;
  readonly #blobs: BlobStore;
  readonly #points: RunPoints;
  readonly #settlements: Settlements;
  readonly #maxBatchBytes: number;

  constructor(options: { scope: IngestScope; blobs: BlobStore; points: RunPoints; settlements: Settlements; maxBatchBytes: number }) {
    this.#scope = options.scope;
    this.#blobs = options.blobs;
    this.#points = options.points;
    this.#settlements = options.settlements;
    this.#maxBatchBytes = options.maxBatchBytes;
  }

  /**
   * Determines the unknown writer properties of files, and applies the rules to everything stored.
   */
  async learn(runId: RunId): Promise<void> {
    await this.#points.cutTail();
    const files = await learnWriters(this.#scope, this.#blobs, runId, this.#points.fileOrder.files);
    for (const { fileId } of files) this.changed.add(fileId);
    await this.#relate(files, true);
  }

  /** Updates the known properties of a file after a range of the file was read. */
  async update(fileId: FileId, parsed: ParsedRange): Promise<void> {
    await this.#relate(this.#points.fileOrder.files.map((known) => (known.fileId === fileId ? readOn(known, parsed) : known)));
  }

  /**
   * Whether the file is a copy of another file in the run, which means that its points are not
   * stored.
   */
  isCopy(fileId: FileId): boolean {
    return this.#points.fileOrder.files.some((file) => file.fileId === fileId && file.copyOf !== null);
  }

  /**
   * Updates the known properties of the files. If that changes which points are effective, applies
   * the rules to everything stored.
   */
  async #relate(known: readonly RunFile[], always = false): Promise<void> {
    const files = known.length > 1 ? await findCopies({ scope: this.#scope, blobs: this.#blobs }, known) : known;
    const before = this.#points.fileOrder;
    const after = new RunFileOrder(files);
    const formerly = new Map(before.files.map((file) => [file.fileId, file]));
    const changed = files.filter((file) => {
      const was = formerly.get(file.fileId)!;
      return was.copyOf !== file.copyOf || was.replaced !== file.replaced;
    });
    for (const { fileId } of changed) this.changed.add(fileId);
    const withdrawn = changed
      .filter((file) => file.copyOf !== null && formerly.get(file.fileId)!.copyOf === null)
      .map(({ fileId }) => fileId);
    if (always || withdrawn.length > 0 || !after.agreesWith(before)) {
      await this.#points.cutTail();
      this.#points.fileOrder = after;
      if (withdrawn.length > 0) await this.#points.removePointsOf(withdrawn);
      await this.#points.remark(null);
    }
    this.#points.fileOrder = after;
    for (const file of changed) if (file.copyOf === null && formerly.get(file.fileId)!.copyOf !== null) await this.#catchUp(file);
  }

  /**
   * Stores what was read of a file while it was a copy of another file, as far as its bytes are
   * kept. Bytes that were dropped since then equal bytes of the other file, which has their points
   * except for deleted points.
   */
  async #catchUp(file: RunFile): Promise<void> {
    const { fileId, quarantined } = file;
    const end = this.#settlements.parsedOffset(fileId) ?? file.parsedOffset;
    const collector = await this.#points.series.collector();
    const given = (await readFile(this.#scope, fileId))?.droppedBytes ?? 0;
    if (given !== file.countsFrom) await writeCountsFrom(this.#scope, fileId, given);
    let isUnverified = given > 0 && file.isUnverified;
    for (let position = given; position < end;) {
      const bytes = readFileBytes({ scope: this.#scope, blobs: this.#blobs, fileId, start: position, end });
      const bounds = { maxBytes: this.#maxBatchBytes, quarantined, isUnverified };
      const parsed = await parseRange(position, bytes, collector, bounds, () => undefined);
      await this.#points.store({ ...file, parsedOffset: position }, { ...parsed.batch, events: 0 });
      if (parsed.ended || parsed.parsedOffset <= position) return;
      isUnverified = parsed.unverified === parsed.batch.records && (isUnverified || position === 0);
      position = parsed.parsedOffset;
    }
  }
}

/** The writer properties of a file after a range of the file was read. */
function readOn(file: RunFile, { batch, headCrc32c }: ParsedRange): RunFile {
  // If the file was started before properties were recorded, nothing is known about the earlier
  // part.
  if (isUnknown(file)) return file;
  return {
    ...file,
    headCrc32c: file.headCrc32c ?? headCrc32c,
    firstWallTime: min(file.firstWallTime, batch.firstWallTime),
    lastWallTime: min(file.lastWallTime, batch.lastWallTime, Math.max),
  };
}

function min(a: number | null, b: number | null, pick: (a: number, b: number) => number = Math.min): number | null {
  return a === null || b === null ? (a ?? b) : pick(a, b);
}
