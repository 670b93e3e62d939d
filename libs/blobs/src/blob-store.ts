import type { Readable } from 'node:stream';
import type { TenantId } from '#model';

/** Bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object in a listing. */
export interface StoredObject {
  readonly tenantId: TenantId;
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** What the writer knows about an object's bytes. */
export interface KnownContent {
  /** CRC-32C of all the bytes, as an unsigned 32-bit integer. */
  readonly crc32c: number;
}

/** Options for a presigned URL. */
export interface PresignOptions {
  readonly expiresInSeconds: number;
  /** `Content-Type` of the response. Comes from our own list, never from user input. */
  readonly contentType: string;
  /** `Content-Disposition` of the response. */
  readonly disposition: string;
}

/**
 * Stores bytes that are too large for a row: objects under keys, separate for each tenant. Also the
 * injection token.
 *
 * - Keys are generated and name their content (see `object-keys.ts`): no user input becomes a key
 *   or a path. So an object never changes, and writing a key again succeeds.
 * - An object exists completely or not at all, and is durable when the write resolves: a power
 *   failure right after it loses nothing.
 * - An object that is read completely is verified: its key contains the SHA-256 of blobs and
 *   tensors and the length and CRC-32C of segments, and a store may have recorded its own checksum.
 *   A mismatch is {@link BlobDamaged}; a stream fails before its last piece. A range is not
 *   verified here: range readers use their own checksums, as joined originals do.
 * - Reading a key that does not exist throws {@link BlobNotFound}. A full disk is
 *   `Problem('insufficient-storage')`, an unreachable store `Problem('store-unavailable')`.
 *
 * ```ts
 * import { createHash, randomUUID } from 'node:crypto';
 * import { parseTenantId } from '#model';
 * import { MemoryBlobStore } from './testing/memory-blob-store.ts';
 * import { blobKey } from './object-keys.ts';
 *
 * const store: BlobStore = new MemoryBlobStore();
 * const [tenant, bytes] = [parseTenantId(randomUUID()), Buffer.from('an image')];
 * const key = blobKey(createHash('sha256').update(bytes).digest()); // the key names the content
 * await store.put(tenant, key, bytes);
 * assert.equal(await store.has(tenant, key), 8);
 * assert.equal(String(await store.get(tenant, key, { start: 3, end: 100 })), 'image');
 * const wrong = blobKey(createHash('sha256').update('another').digest());
 * await store.put(tenant, wrong, bytes);
 * await assert.rejects(store.get(tenant, wrong), BlobDamaged); // reading all of it verifies it
 * ```
 */
export abstract class BlobStore {
  /**
   * Writes an object from bytes in memory. Resolves when it is durable. `known` values are not
   * recomputed. A store that verifies them rejects wrong values; otherwise, the reader detects
   * them.
   */
  abstract put(tenantId: TenantId, key: string, bytes: Uint8Array | readonly Uint8Array[], known?: KnownContent): Promise<void>;
  /**
   * Creates an object. Exactly one of several writers of a key gets true, even if they write at the
   * same time. A writer also gets true if its bytes are already stored, because its own earlier
   * attempt may have written them. If the bytes decide something, they must therefore identify
   * their writer.
   */
  abstract putIfAbsent(tenantId: TenantId, key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Writes an object of any size, holding only a few pieces in memory. Resolves with its size when
   * it is durable; if the pieces throw, nothing is kept. `pieces` is called once per attempt and
   * must yield the same bytes each time, because a store may have to start over. Do not change a
   * piece after yielding it.
   */
  abstract putStream(tenantId: TenantId, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number>;
  /** The object, or the part of it inside `range` (truncated at the object's end). */
  abstract get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer>;
  /**
   * The whole object, verified, in the pieces in which it arrived: joining megabytes of pieces
   * costs about as much as fetching them.
   */
  async getPieces(tenantId: TenantId, key: string): Promise<readonly Buffer[]> {
    return [await this.get(tenantId, key)];
  }
  /** Like `get`, as a stream, which must be read or destroyed. */
  abstract stream(tenantId: TenantId, key: string, range?: ByteRange): Promise<Readable>;
  /** Size of the object in bytes. Null if there is none. */
  abstract has(tenantId: TenantId, key: string): Promise<number | null>;
  /** Removes the object. Succeeds even if it does not exist. */
  abstract delete(tenantId: TenantId, key: string): Promise<void>;
  /**
   * Lists the objects of a tenant, or of all tenants (null), whose keys start with `prefix`, in no
   * particular order. Concurrent writes and deletions may or may not be included. Skips anything
   * that belongs to no tenant.
   */
  abstract list(tenantId: TenantId | null, prefix: string): AsyncIterable<StoredObject>;
  /**
   * A URL with which anyone can read the object until the URL expires. Null if the store has no
   * URLs. Does not check whether the object exists.
   */
  abstract presign(tenantId: TenantId, key: string, options: PresignOptions): Promise<string | null>;
  /** How many bytes can still be written. Null if the store has no known limit. */
  abstract freeBytes(): Promise<number | null>;

  /**
   * The current time on the clock that sets `modifiedAt`. It is the store's own clock, because this
   * machine's clock may be wrong.
   */
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

/**
 * The bytes under this key differ from those that were written. Storage or transfer changed them.
 */
export class BlobDamaged extends Error {
  readonly key: string;

  constructor(key: string, detail: string, options?: ErrorOptions) {
    super(`the object ${key} is damaged: ${detail}`, options);
    this.name = 'BlobDamaged';
    this.key = key;
  }
}
