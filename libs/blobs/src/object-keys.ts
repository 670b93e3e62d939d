import { randomBytes } from 'node:crypto';
import { crc32cHex, type FileId, parseTenantId, type TenantId } from '#model';

/**
 * Key of one acknowledged range of an event file. With `coding`, the object contains one zstd frame
 * or a column block; its bytes may then differ between writers, but the decoded bytes do not.
 */
export function segmentKey(segment: {
  fileId: FileId;
  offset: number;
  length: number;
  crc32c: number;
  coding: 'zstd' | 'columns' | null;
  attempt?: string;
}): string {
  const attempt = segment.attempt === undefined ? '' : `-${segment.attempt}`;
  return `segment/${segment.fileId}/${segment.offset}-${segment.length}-${crc32cHex(segment.crc32c)}${attempt}${segment.coding === null ? '' : `-${segment.coding}`}`;
}

/**
 * Distinguishes two attempts to write the same bytes (16 hex digits). If only one attempt can refer
 * to an object, nothing else depends on it: that attempt may delete the object, and so may the
 * orphan collector once the object is old.
 */
export function newAttempt(): string {
  return randomBytes(8).toString('hex');
}

/** Key of the first `bytes` bytes of an event file, joined and compressed. */
export function originalKey(fileId: FileId, bytes: number, attempt?: string): string {
  return `original/${fileId}-${bytes}${attempt === undefined ? '' : `-${attempt}`}`;
}

/** How many bytes of the file the object at {@link originalKey} covers. */
export function originalBytes(key: string): number {
  const match = /^original\/\d+-(\d+)(?:-[0-9a-f]{16})?$/.exec(key);
  if (!match) throw new RangeError(`not the key of a joined original: ${key}`);
  return Number(match[1]);
}

/** A blob's key, given the SHA-256 of its bytes. A tenant stores the same blob only once. */
export function blobKey(sha256: Uint8Array): string {
  return `blob/${Buffer.from(sha256).toString('hex')}`;
}

/** The key of a packed tensor that is too large for its row, given the SHA-256 of its bytes. */
export function tensorKey(sha256: Uint8Array): string {
  return `tensor/${Buffer.from(sha256).toString('hex')}`;
}

const keyShape = /^[a-z]{1,16}(?:\/[0-9a-z-]{1,100}){1,2}$/;

/**
 * Throws unless the tenant and key have the exact forms that we generate. Every adapter calls it
 * first. A failure is a bug, never a user's mistake.
 */
export function checkObjectName(tenantId: TenantId, key: string): void {
  parseTenantId(tenantId);
  if (!keyShape.test(key)) throw new RangeError(`not an object key: ${JSON.stringify(key)}`);
}

const prefixShape = /^(?:[a-z]{0,16}|[a-z]{1,16}\/[0-9a-z-]{0,100}(?:\/[0-9a-z-]{0,100})?)$/;

/** Like {@link checkObjectName}, but for a key prefix. A null `tenantId` means all tenants. */
export function checkListing(tenantId: TenantId | null, prefix: string): void {
  if (tenantId !== null) parseTenantId(tenantId);
  if (!prefixShape.test(prefix)) throw new RangeError(`not the beginning of an object key: ${JSON.stringify(prefix)}`);
}
