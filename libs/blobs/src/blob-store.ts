import type { Readable } from 'node:stream';

/** Bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object as a listing shows it. */
export interface StoredObject {
  readonly tenantId: string;
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** What a writer knows of the bytes of an object that it gives. */
export interface KnownContent {
  /** CRC-32C of all of them, an unsigned integer of 32 bits. */
  readonly crc32c: number;
}

/** How an object is handed to somebody who reads it by its address. */
export interface PresignOptions {
  readonly expiresInSeconds: number;
  /** `Content-Type` of the answer; from our list, never a user's word. */
  readonly contentType: string;
  /** `Content-Disposition` of the answer. */
  readonly disposition: string;
}

/**
 * Where bytes that are too large for a row are kept: objects under keys, apart for each tenant. Also the injection token.
 *
 * - Keys are ours and name their content (see `object-keys.ts`): nothing that a user wrote becomes a key or a path. So an object never changes,
 *   and writing a key again is success.
 * - An object is there whole or not at all, and is durable when the write resolves: a power cut right after it loses nothing.
 * - An object that is read whole is checked against what is known of it: its key names the SHA-256 of blobs and tensors and the length and CRC-32C
 *   of segments, and a store may have noted a checksum of its own. A mismatch is {@link BlobDamaged}; a stream fails before its last piece. A range is not
 *   checked here: who reads ranges keeps checksums of them, as joined originals do.
 * - A read of a key that is not there throws {@link BlobNotFound}. A full disk is `Problem('insufficient-storage')`, a store that cannot be
 *   reached `Problem('store-unavailable')`.
 */
export abstract class BlobStore {
  /** Writes an object from bytes in memory. Resolves when it is durable. What is `known` of the bytes is not computed again; what is known wrongly is refused by a store that compares, or by who reads it. */
  abstract put(tenantId: string, key: string, bytes: Uint8Array | readonly Uint8Array[], known?: KnownContent): Promise<void>;
  /**
   * Writes an object of any size with the memory of a few pieces. Resolves with its bytes when it is durable; when the pieces throw, nothing is
   * kept. `pieces` is called once for each attempt and gives the same bytes each time: a store may have to begin anew. A piece is
   * not changed once it was given.
   */
  abstract putStream(tenantId: string, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number>;
  /** The object, or the part of it that lies within `range` (cut at the object's end). */
  abstract get(tenantId: string, key: string, range?: ByteRange): Promise<Buffer>;
  /** The whole object in the pieces in which it came: joining megabytes costs about as much as fetching them. All of it was checked. */
  async getPieces(tenantId: string, key: string): Promise<readonly Buffer[]> {
    return [await this.get(tenantId, key)];
  }
  /** As `get`, as a stream; it must be read or destroyed. */
  abstract stream(tenantId: string, key: string, range?: ByteRange): Promise<Readable>;
  /** Bytes of the object; null when there is none. */
  abstract has(tenantId: string, key: string): Promise<number | null>;
  /** Removes the object; success when there is none. */
  abstract delete(tenantId: string, key: string): Promise<void>;
  /**
   * The objects of a tenant, or of all (null), whose keys begin with `prefix`, in no order. What is written or deleted meanwhile may be shown or not.
   * Things that no tenant owns are passed over.
   */
  abstract list(tenantId: string | null, prefix: string): AsyncIterable<StoredObject>;
  /** An address at which anybody can read the object until it expires; null where the store has none. Whether the object is there is not looked at. */
  abstract presign(tenantId: string, key: string, options: PresignOptions): Promise<string | null>;
  /** Bytes that can still be written; null where the store does not know a bound. */
  abstract freeBytes(): Promise<number | null>;

  /** The time by which `modifiedAt` is given: the store's own, since the clock of this machine may be wrong. */
  abstract now(): Promise<Date>;
}

/** There is no object under this key. */
export class BlobNotFound extends Error {
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`no object ${key}`, options);
    this.name = 'BlobNotFound';
    this.key = key;
  }
}

/** The bytes under this key are not those that were written: storage or the way from it changed them. */
export class BlobDamaged extends Error {
  readonly key: string;

  constructor(key: string, detail: string, options?: ErrorOptions) {
    super(`the object ${key} is damaged: ${detail}`, options);
    this.name = 'BlobDamaged';
    this.key = key;
  }
}
