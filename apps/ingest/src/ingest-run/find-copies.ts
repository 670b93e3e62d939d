import type { BlobStore } from '#blobs';
import type { FileId } from '#model';
import { OriginalDamaged, prefixCrc32c } from '#originals';
import type { IngestScope, RunFile } from '#store';

/** Where the bytes of the run's files are. */
interface Source {
  readonly scope: IngestScope;
  readonly blobs: BlobStore;
}

/**
 * Determines from the bytes which file is a copy of another (its bytes are a prefix of the other
 * file), and which file was replaced by a newer version of itself. Compares checksums, only of
 * files with equal first records, and reads at most a part of a segment. The result depends only on
 * the bytes, not on their order of arrival.
 */
export async function findCopies(source: Source, files: readonly RunFile[]): Promise<RunFile[]> {
  const groups = Map.groupBy(
    files.filter(({ headCrc32c }) => headCrc32c !== null && headCrc32c >= 0),
    ({ headCrc32c }) => headCrc32c,
  );
  const newest = new Map<string, number>();
  for (const { name, version, headCrc32c } of files) if (headCrc32c !== null) newest.set(name, Math.max(version, newest.get(name) ?? 0));
  const isOutdated = ({ name, version }: RunFile): boolean => version < (newest.get(name) ?? 0);
  const copies = new Map<FileId, FileId>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const kept: RunFile[] = [];
    for (const file of group.toSorted((a, b) => originalsFirst(a, b, isOutdated))) {
      const original = await originalOf(source, file, kept);
      if (original === null) kept.push(file);
      else copies.set(file.fileId, original);
    }
  }
  const named = Map.groupBy(files, ({ name }) => name);
  return files.map((file) => {
    const copyOf = copies.get(file.fileId) ?? null;
    const replaced = copyOf === null && named.get(file.name)!.some((other) => other.version > file.version && other.headCrc32c !== null);
    return copyOf === file.copyOf && replaced === file.replaced ? file : { ...file, copyOf, replaced };
  });
}

/**
 * Sorts originals before their copies. A version that was replaced is never the original of a file
 * that still exists, however long it is, because its own points no longer count. Otherwise, the
 * longer file is the original. Among equal files, the file with the shorter name is the original,
 * because tools append to the name of a file that they copy.
 */
function originalsFirst(a: RunFile, b: RunFile, isOutdated: (file: RunFile) => boolean): number {
  return (
    Number(isOutdated(a)) - Number(isOutdated(b)) ||
    b.durableOffset - a.durableOffset ||
    a.name.length - b.name.length ||
    b.version - a.version ||
    (a.name < b.name ? -1 : 1)
  );
}

/** The checksum of a file's first bytes; null if it cannot be computed. */
async function checksumOf(file: Source & { readonly fileId: FileId }, bytes: number): Promise<number | null> {
  try {
    return await prefixCrc32c(file, bytes);
  } catch (error) {
    if (error instanceof OriginalDamaged) return null;
    throw error;
  }
}

async function originalOf({ scope, blobs }: Source, file: RunFile, kept: readonly RunFile[]): Promise<FileId | null> {
  for (const longer of kept) {
    if (longer.durableOffset < file.durableOffset) continue;
    // A shorter newer version was truncated on purpose: it replaces the older one.
    if (longer.name === file.name && longer.version < file.version) continue;
    const crc = await checksumOf({ scope, blobs, fileId: longer.fileId }, file.durableOffset);
    // Bytes that are damaged or no longer kept cannot be compared, so the relation stays unchanged.
    if (crc === null ? file.copyOf !== longer.fileId : crc !== file.crc32c) continue;
    // A file that was a copy when its bytes were dropped has only the points after them. It must
    // not replace another file with more points, because those points could not be read again.
    if (file.copyOf === null && pointsBegin(longer) > pointsBegin(file)) continue;
    return longer.fileId;
  }
  return null;
}

/** The offset at which the stored points of a file start if the file is not a copy. */
function pointsBegin({ copyOf, droppedBytes, countsFrom }: RunFile): number {
  return copyOf === null ? countsFrom : droppedBytes;
}
