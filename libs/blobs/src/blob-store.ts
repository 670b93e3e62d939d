import type { Readable } from 'node:stream';

/** Bytes `[start, end)` of an object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where bytes that are too large for a row are kept: objects under keys, apart for each tenant. Also the injection token.
 *
 * - Keys are ours and name their content (see `object-keys.ts`): nothing that a user wrote becomes a key or a path. So an object never changes,
 *   and writing a key again is success.
 * - An object is there whole or not at all, and is durable when the write resolves: a power cut right after it loses nothing.
 * - A read of a key that is not there throws {@link BlobNotFound}. A full disk is `Problem('insufficient-storage')`.
 */
export abstract class BlobStore {
  /** Writes an object from bytes in memory. Resolves when it is durable. */
  abstract put(tenantId: string, key: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void>;
  /** Writes an object of any size with the memory of a few pieces. Resolves with its bytes when it is durable; when `pieces` throws, nothing is kept. */
  abstract putStream(tenantId: string, key: string, pieces: AsyncIterable<Uint8Array>): Promise<number>;
  /** The object, or the part of it that lies within `range` (cut at the object's end). */
  abstract get(tenantId: string, key: string, range?: ByteRange): Promise<Buffer>;
  /** As `get`, as a stream; it must be read or destroyed. */
  abstract stream(tenantId: string, key: string, range?: ByteRange): Promise<Readable>;
  /** Bytes of the object; null when there is none. */
  abstract has(tenantId: string, key: string): Promise<number | null>;
  /** Removes the object; success when there is none. */
  abstract delete(tenantId: string, key: string): Promise<void>;
  /** Bytes that can still be written; null where the store does not know a bound. */
  abstract freeBytes(): Promise<number | null>;
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
