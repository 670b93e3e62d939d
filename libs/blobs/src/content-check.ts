import { createHash, type Hash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { crc32cHex } from '#model';
import { BlobDamaged } from './blob-store.ts';

/** What a store noted of an object when it was written. */
export interface NotedContent {
  readonly bytes?: number | undefined;
  readonly crc32c?: string | undefined;
}

/** Checks the bytes of one object, as they come, against its key and what the store noted. */
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

  /** Throws {@link BlobDamaged} when something that is known does not hold. Called once, after the last piece. */
  finish(): void {
    for (const { bytes, crc32c: crc } of this.#expected) {
      if (bytes !== undefined && bytes !== this.#bytes) throw new BlobDamaged(this.#key, `it has ${this.#bytes} bytes and not ${bytes}`);
      if (crc !== undefined && crc !== crc32cHex(this.#crc)) throw new BlobDamaged(this.#key, 'its CRC-32C does not match');
    }
    if (this.#hash && this.#hash.digest('hex') !== this.#sha256) throw new BlobDamaged(this.#key, 'its SHA-256 does not match its key');
  }
}

/** Checks an object that is in memory. */
export function checkContent(key: string, bytes: Uint8Array, noted: NotedContent = {}): void {
  const check = new ContentCheck(key, noted);
  check.add(bytes);
  check.finish();
}

/** `pieces` as they come; the last one only when all of them were checked. */
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
 * What a key says of its object, which whoever reads the object whole need not check again. A segment that is not compressed has its length and checksum
 * (CRC-32C, hex) in its key; of a compressed one they are those of what it decodes to.
 */
export function namedInKey(key: string): NotedContent {
  const match = /^segment\/\d+\/\d+-(\d+)-([0-9a-f]{8})(?:-[0-9a-f]{16})?$/.exec(key);
  return match ? { bytes: Number(match[1]), crc32c: match[2] } : {};
}
