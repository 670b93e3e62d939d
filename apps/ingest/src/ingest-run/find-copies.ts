import type { BlobStore } from '#blobs';
import { OriginalDamaged, prefixCrc32c } from '#originals';
import type { IngestTransaction, RunFile } from '#store';

/** Where the bytes of the run's files are. */
interface Source {
  readonly trx: IngestTransaction['trx'];
  readonly blobs: BlobStore;
  readonly tenantId: string;
}

/**
 * The files with what follows from their bytes: which is a copy of which other one (its bytes are the first bytes of the other), and which was replaced by a newer
 * version of itself. Only files with equal first records are compared, by checksums; nothing is read but the part of a segment. A function of the bytes, whatever
 * the order of arrival.
 */
export async function findCopies(source: Source, files: readonly RunFile[]): Promise<RunFile[]> {
  const groups = Map.groupBy(
    files.filter(({ headCrc32c }) => headCrc32c !== null && headCrc32c >= 0),
    ({ headCrc32c }) => headCrc32c,
  );
  const newest = new Map<string, number>();
  for (const { name, version, headCrc32c } of files) if (headCrc32c !== null) newest.set(name, Math.max(version, newest.get(name) ?? 0));
  const isOutdated = ({ name, version }: RunFile): boolean => version < (newest.get(name) ?? 0);
  const copies = new Map<string, string>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const kept: RunFile[] = [];
    for (const file of group.toSorted((a, b) => longerFirst(a, b, isOutdated))) {
      const original = await originalOf(source, file, kept);
      if (original === null) kept.push(file);
      else copies.set(file.fileId, original);
    }
  }
  const named = Map.groupBy(files, ({ name }) => name);
  return files.map((file) => {
    const copyOf = copies.get(file.fileId) ?? null;
    const replaced =
      copyOf === null &&
      named.get(file.name)!.some((other) => other.version > file.version && other.headCrc32c !== null && !copies.has(other.fileId));
    return copyOf === file.copyOf && replaced === file.replaced ? file : { ...file, copyOf, replaced };
  });
}

/**
 * Of equal bytes the one with the shorter name counts: tools add to the name of the file that they copy. But a log that was renamed counts under its new name, where
 * another one was begun under the old name.
 */
function longerFirst(a: RunFile, b: RunFile, isOutdated: (file: RunFile) => boolean): number {
  return (
    b.durableOffset - a.durableOffset ||
    Number(isOutdated(a)) - Number(isOutdated(b)) ||
    a.name.length - b.name.length ||
    b.version - a.version ||
    a.fileId.length - b.fileId.length ||
    (a.fileId < b.fileId ? -1 : 1)
  );
}

/** The checksum of the first bytes of a file; null where it cannot be known. */
async function checksumOf(file: Source & { readonly fileId: string }, bytes: number): Promise<number | null> {
  try {
    return await prefixCrc32c(file, bytes);
  } catch (error) {
    if (error instanceof OriginalDamaged) return null;
    throw error;
  }
}

async function originalOf({ trx, blobs, tenantId }: Source, file: RunFile, kept: readonly RunFile[]): Promise<string | null> {
  for (const longer of kept) {
    // A newer version that is shorter was cut on purpose: it replaces the older one.
    if (longer.name === file.name && longer.version < file.version) continue;
    const crc = await checksumOf({ trx, blobs, tenantId, fileId: longer.fileId }, file.durableOffset);
    // Bytes that are damaged or not kept any more cannot be compared: it stays as it was.
    if (crc === null ? file.copyOf !== longer.fileId : crc !== file.crc32c) continue;
    // A file that was a copy when its bytes were given up has only the points behind them. So it takes the place of no other one that has more of them, which cannot be read again.
    if (file.copyOf === null && pointsBegin(longer) > pointsBegin(file)) continue;
    return longer.fileId;
  }
  return null;
}

/** Where the points of a file begin, if it is none of the copies. */
function pointsBegin({ copyOf, droppedBytes, countsFrom }: RunFile): number {
  return copyOf === null ? countsFrom : droppedBytes;
}
