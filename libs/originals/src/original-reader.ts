import { crc32c } from '@node-rs/crc32';
import { BlobNotFound, type BlobStore, type ByteRange } from '#blobs';
import type { TenantId } from '#model';
import { decodeIndex, type Frame, indexBytes, OriginalDamaged, type OriginalIndex, trailerBytes } from './original-index.ts';
import { decodeSegment, isNoDamage } from './segment-encoding.ts';

// Large enough for the index of a 300 MB file, so nearly all originals are opened with one read.
const tailBytes = 4096;

/**
 * Reads a joined original. Verifies every frame against its checksum, so the result is the original
 * bytes or an error.
 */
export class OriginalReader {
  readonly index: OriginalIndex;
  readonly #blobs: BlobStore;
  readonly #tenantId: TenantId;
  readonly #key: string;

  private constructor(blobs: BlobStore, tenantId: TenantId, key: string, index: OriginalIndex) {
    this.#blobs = blobs;
    this.#tenantId = tenantId;
    this.#key = key;
    this.index = index;
  }

  /** Reads the index of the object. Throws {@link BlobNotFound} or {@link OriginalDamaged}. */
  static async open(blobs: BlobStore, tenantId: TenantId, key: string): Promise<OriginalReader> {
    const size = await blobs.has(tenantId, key);
    if (size === null) throw new BlobNotFound(key);
    let tail = await blobs.get(tenantId, key, { start: Math.max(size - tailBytes, 0), end: size });
    const needed = indexBytes(tail.subarray(Math.max(tail.length - trailerBytes, 0)));
    if (needed > size) throw new OriginalDamaged('its index is longer than the object');
    if (needed > tail.length) tail = await blobs.get(tenantId, key, { start: size - needed, end: size });
    return new OriginalReader(blobs, tenantId, key, decodeIndex(tail.subarray(tail.length - needed)));
  }

  /** The file's bytes in `[start, end)`, in pieces of at most one frame. */
  async *read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (const frame of this.index.frames) {
      if (frame.offset >= end) return;
      if (frame.offset + frame.bytes <= start) continue;
      const bytes = await this.#frame(frame);
      yield bytes.subarray(Math.max(start - frame.offset, 0), Math.min(end - frame.offset, frame.bytes));
    }
  }

  async #frame(frame: Frame): Promise<Buffer> {
    const stored = await this.#blobs.get(this.#tenantId, this.#key, {
      start: frame.storedOffset,
      end: frame.storedOffset + frame.storedBytes,
    });
    const bytes = await decode(frame, stored);
    if (bytes.length !== frame.bytes || crc32c(bytes) !== frame.crc32c)
      throw new OriginalDamaged(`the checksum of the bytes from ${frame.offset} does not match`, { range: rangeOf(frame) });
    return bytes;
  }
}

/** A frame's codec is a segment encoding. */
async function decode(frame: Frame, stored: Buffer): Promise<Buffer> {
  try {
    return await decodeSegment(stored, frame.codec, frame.bytes);
  } catch (error) {
    if (isNoDamage(error)) throw error;
    throw new OriginalDamaged(`the frame at ${frame.offset} cannot be decoded`, { cause: error, range: rangeOf(frame) });
  }
}

function rangeOf({ offset, bytes }: Frame): ByteRange {
  return { start: offset, end: offset + bytes };
}
