import { createHash, type Hash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { crc32cHex } from '#model';
import { BlobDamaged } from './blob-store.ts';

/** Metadata that a store recorded when it wrote an object. */
export interface NotedContent {
  readonly bytes?: number | undefined;
  readonly crc32c?: string | undefined;
}

/** Verifies the bytes of one object, as they arrive, against its key and the store's record. */
export class ContentCheck {
  readonly #key: string;
  readonly #expected: readonly NotedContent[];
  readonly #sha256: string | null;
  readonly #hash: Hash | null;
  #crc = 0;
  #bytes = 0;

  constructor(key: string, noted: NotedContent = {}) {
    this.#key = key;
    this.#sha256 = /^(?:blob|tensor)\/([0-9a-f]{64})$/.exec(key)?.[1] ?? null;
    this.#hash = this.#sha256 === null ? null : createHash('sha256');
    this.#expected = [namedInKey(key), noted];
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    this.#hash?.update(piece);
    if (this.#expected.some((known) => known.crc32c !== undefined)) this.#crc = crc32c(piece, this.#crc);
  }

  /**
   * Throws {@link BlobDamaged} if any known value does not match. Call it once, after the last
   * piece.
   */
  finish(): void {
    for (const { bytes, crc32c: crc } of this.#expected) {
      if (bytes !== undefined && bytes !== this.#bytes) throw new BlobDamaged(this.#key, `it has ${this.#bytes} bytes instead of ${bytes}`);
      if (crc !== undefined && crc !== crc32cHex(this.#crc)) throw new BlobDamaged(this.#key, 'its CRC-32C does not match');
    }
    if (this.#hash && this.#hash.digest('hex') !== this.#sha256) throw new BlobDamaged(this.#key, 'its SHA-256 does not match its key');
  }
}

/** Verifies an object in memory. */
export function checkContent(key: string, bytes: Uint8Array, noted: NotedContent = {}): void {
  const check = new ContentCheck(key, noted);
  check.add(bytes);
  check.finish();
}

/** Yields `pieces` as they arrive, but the last piece only after the whole object is verified. */
export async function* checked(pieces: AsyncIterable<Buffer>, check: ContentCheck): AsyncGenerator<Buffer> {
  let held: Buffer | null = null;
  for await (const piece of pieces) {
    check.add(piece);
    if (held) yield held;
    held = piece;
  }
  check.finish();
  if (held) yield held;
}

/**
 * The values that a key contains. They need not be checked again once the whole object has been
 * read. A segment's key contains the length and checksum (CRC-32C, hex) of its bytes, or of its
 * decoded bytes if it is compressed.
 */
export function namedInKey(key: string): NotedContent {
  const match = /^segment\/\d+\/\d+-(\d+)-([0-9a-f]{8})(?:-[0-9a-f]{16})?$/.exec(key);
  return match ? { bytes: Number(match[1]), crc32c: match[2] } : {};
}
