import { crc32c } from '@node-rs/crc32';
import { BlobDamaged, BlobNotFound, type BlobStore, type ByteRange, namedInKey, originalBytes } from '#blobs';
import { BadBlock, openItems, type RangeItems } from '#columns';
import { crc32cHex, type FileId, Problem, type TenantId } from '#model';
import { type LedgerFile, readFile, readSegments, type StoredSegment, type AnyScope } from '#store';
import { OriginalReader } from './original-reader.ts';
import { OriginalDamaged } from './original-index.ts';
import { decodeSegment, isNoDamage } from './segment-encoding.ts';

/**
 * Runs a short read in a transaction of the tenant, as `(work) => store.withTenant(tenantId, work)`
 * does, or in an open transaction.
 */
export type InTenant = <T>(work: (scope: AnyScope) => Promise<T>) => Promise<T>;

/** One event file, and the stores that have its bytes. */
export interface FileSource {
  readonly inTenant: InTenant;
  readonly blobs: BlobStore;
  readonly tenantId: TenantId;
  readonly fileId: FileId;
  /** The file's ledger rows, if the caller has just read them. Saves the first query. */
  readonly known?: KnownFile | undefined;
}

/** The columns of a file's row that locate its bytes. */
export type KnownFile = Pick<LedgerFile, 'durableOffset' | 'originalKey' | 'droppedBytes'>;

/**
 * Rows fetched per query. With bodies of 64 KiB, they take 16 MiB; with those of live runs, about
 * 100 KiB.
 */
const segmentsPerQuery = 256;
/**
 * Joining or deleting may remove objects between the ledger query and the read. The ledger is then
 * queried again, up to this many times without progress.
 */
const maxRetries = 3;

/**
 * Reads a file's original bytes in `[start, end)`, which must be inside its durable prefix. Yields
 * them in order, in pieces of up to 16 MiB, from segments, a joined original, or both. Each piece
 * is verified against its checksum. No transaction is open while the consumer works, unless
 * `inTenant` runs in an open transaction. Throws {@link OriginalDamaged} if bytes differ from what
 * was stored, or are missing.
 */
export function readFileRange(source: FileSource, range: ByteRange): AsyncGenerator<Buffer> {
  return readPieces(source, range, false) as AsyncGenerator<Buffer>;
}

/** The records of a stored column block, in place of its `length` bytes. */
export interface StoredItems {
  readonly length: number;
  readonly items: RangeItems;
}

/** With `columns`, blocks that are entirely in the range are yielded as their items. */
async function* readPieces(source: FileSource, { start, end }: ByteRange, columns: boolean): AsyncGenerator<Buffer | StoredItems> {
  let position = start;
  for (let retries = 0; position < end;) {
    const before = position;
    let gone: BlobNotFound | null = null;
    const look: Look = { object: null };
    try {
      const known = retries === 0 ? source : { ...source, known: undefined };
      for await (const piece of readOnce(known, { start: position, end }, columns, look)) {
        position += piece.length;
        yield piece;
      }
    } catch (error) {
      if (!(error instanceof BlobNotFound)) throw error;
      gone = error;
    }
    if (gone === null && position > before) {
      retries = 0;
      continue;
    }
    // There was no progress, or an object is missing: either the segments were joined between two
    // queries, or the bytes are really lost.
    retries = position > before ? 1 : retries + 1;
    if (retries <= maxRetries) continue;
    if (!gone) throw new OriginalDamaged(`file ${source.fileId} has no bytes at ${position}, though they were acknowledged`);
    await checkResponses(source.blobs);
    throw new OriginalDamaged('one of its objects is missing', { cause: gone, range: look.object });
  }
}

/** The read that failed. */
interface Look {
  /** The file bytes that the object contains. */
  object: ByteRange | null;
}

/**
 * If all objects are missing (an unmounted disk, a deleted bucket), a missing object is not
 * necessarily lost. Throws `store-unavailable` in this case.
 */
async function checkResponses(blobs: BlobStore): Promise<void> {
  try {
    await blobs.now();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('store-unavailable', 'The object store is not available.', { cause: error });
  }
}

/** A file range, and the transaction that reads it. */
interface RangeInScope {
  readonly scope: AnyScope;
  readonly blobs: BlobStore;
  readonly fileId: FileId;
  readonly start: number;
  readonly end: number;
  readonly known?: KnownFile | undefined;
}

/** {@link readFileRange} within an open transaction. */
export function readFileBytes({ scope, start, end, ...source }: RangeInScope): AsyncGenerator<Buffer> {
  return readFileRange({ ...source, tenantId: scope.tenantId, inTenant: (work) => work(scope) }, { start, end });
}

/**
 * Like {@link readFileBytes}, but does not convert column blocks to bytes if they are entirely in
 * the range. Their checksums are verified.
 */
export function readFileItems({ scope, start, end, ...source }: RangeInScope): AsyncGenerator<Buffer | StoredItems> {
  return readPieces({ ...source, tenantId: scope.tenantId, inTenant: (work) => work(scope) }, { start, end }, true);
}

/** The bytes found by one ledger query, starting at `start` but possibly ending before `end`. */
async function* readOnce(
  { inTenant, blobs, tenantId, fileId, known }: FileSource,
  { start, end }: ByteRange,
  columns: boolean,
  look: Look,
): AsyncGenerator<Buffer | StoredItems> {
  const { originalKey, segments } = await inTenant(async (scope) => {
    const file = known ?? (await readFile(scope, fileId));
    if (!file) throw new Problem('file-not-found', 'There is no such file.');
    if (end > file.durableOffset) throw new RangeError(`file ${fileId} has ${file.durableOffset} bytes, not ${end}`);
    if (start < file.droppedBytes) throw originalGone();
    if (file.originalKey !== null && start < originalBytes(file.originalKey)) return { originalKey: file.originalKey, segments: [] };
    return { originalKey: null, segments: await readSegments(scope, fileId, { start, end }, segmentsPerQuery) };
  });
  if (originalKey !== null) {
    look.object = { start: 0, end: originalBytes(originalKey) };
    const reader = await OriginalReader.open(blobs, tenantId, originalKey);
    yield* reader.read({ start, end });
    return;
  }
  let position = start;
  // The next segment is fetched while the consumer processes the current segment.
  const fetchNext = (segment: StoredSegment | undefined) => {
    if (segment === undefined) return undefined;
    const whole = segment.offset >= start && segment.offset + segment.length <= end;
    return columns && whole && segment.encoding === 3 ? fetchItems(blobs, tenantId, segment) : fetch(blobs, tenantId, segment);
  };
  let next = fetchNext(segments[0]);
  for (const [index, segment] of segments.entries()) {
    if (segment.offset > position) throw new OriginalDamaged(`file ${fileId} has no bytes at ${position}, though they were acknowledged`);
    look.object = rangeOf(segment);
    const fetched = await next!;
    if (!fetched.pieces) throw fetched.error;
    next = fetchNext(segments[index + 1]);
    let at = segment.offset;
    for (const piece of fetched.pieces) {
      const wanted = 'items' in piece ? piece : piece.subarray(Math.max(position - at, 0), Math.max(end - at, 0));
      if (wanted.length > 0) yield wanted;
      at += piece.length;
    }
    position = at;
  }
}

/** Never rejects, because a consumer that stops early would leave an unhandled rejection. */
async function fetch(blobs: BlobStore, tenantId: TenantId, segment: StoredSegment): Promise<Fetched> {
  try {
    if (segment.encoding === 0 && segment.objectKey !== null && namesContent(segment.objectKey, segment))
      return { pieces: await blobs.getPieces(tenantId, segment.objectKey) };
    const stored = segment.body ? Buffer.from(segment.body) : await blobs.get(tenantId, segment.objectKey!);
    const bytes = await decode(segment, stored);
    if (bytes.length !== segment.length || crc32c(bytes) !== segment.crc32c) return { pieces: null, error: damaged(segment) };
    return { pieces: [bytes] };
  } catch (error) {
    return { pieces: null, error: error instanceof BlobDamaged ? damaged(segment, error) : error };
  }
}

/** Like {@link fetch}, but for a column block. */
async function fetchItems(blobs: BlobStore, tenantId: TenantId, segment: StoredSegment): Promise<Fetched> {
  try {
    const stored = segment.body ?? (await blobs.get(tenantId, segment.objectKey!));
    const items = await openItems(stored, { bytes: segment.length, crc32c: segment.crc32c });
    return { pieces: [{ length: segment.length, items }] };
  } catch (error) {
    const isDamage = error instanceof BlobDamaged || error instanceof BadBlock;
    return { pieces: null, error: isDamage && !isNoDamage(error) ? damaged(segment, error) : error };
  }
}

/** A flipped bit in a compressed segment usually makes decoding fail. */
async function decode(segment: StoredSegment, stored: Buffer): Promise<Buffer> {
  try {
    return await decodeSegment(stored, segment.encoding, segment.length);
  } catch (error) {
    throw isNoDamage(error) ? error : damaged(segment, error);
  }
}

function damaged(segment: StoredSegment, cause?: unknown): OriginalDamaged {
  return new OriginalDamaged(`the checksum of the segment at ${segment.offset} does not match`, { cause, range: rangeOf(segment) });
}

function rangeOf({ offset, length }: StoredSegment): ByteRange {
  return { start: offset, end: offset + length };
}

type Fetched = { readonly pieces: readonly (Buffer | StoredItems)[] } | { readonly pieces: null; readonly error: unknown };

/**
 * Whether the key contains the ledger's length and checksum of the bytes. If so, the object store
 * has verified them.
 */
function namesContent(key: string, { length, crc32c: crc }: StoredSegment): boolean {
  const named = namedInKey(key);
  return named.bytes === length && named.crc32c === crc32cHex(crc);
}

/**
 * The error for bytes that were removed on purpose: when the retention period for originals ended,
 * or by a point deletion that could not rewrite them.
 */
export function originalGone(): Problem {
  return new Problem(
    'original-gone',
    "The original bytes of this file are no longer kept: the workspace's retention period for originals has passed, or the stored bytes could not be read when points were deleted. The file's points are still available.",
  );
}
