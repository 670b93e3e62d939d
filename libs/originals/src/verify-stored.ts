import { crc32c } from '@node-rs/crc32';
import { BlobDamaged, type BlobStore } from '#blobs';
import type { TenantId } from '#model';
import { OriginalReader } from './original-reader.ts';
import { decodeSegment, isNoDamage } from './segment-encoding.ts';

/**
 * Reads all of a joined original. Throws `BlobNotFound` if it does not exist, and `OriginalDamaged`
 * if its bytes differ from those that were written.
 */
export async function verifyOriginal(blobs: BlobStore, tenantId: TenantId, key: string): Promise<void> {
  const reader = await OriginalReader.open(blobs, tenantId, key);
  for await (const _ of reader.read({ start: 0, end: Number.MAX_SAFE_INTEGER }));
}

/**
 * Reads a segment's object, and compares its decoded bytes with the ledger. Throws `BlobNotFound`
 * if the object does not exist, and `BlobDamaged` if the bytes differ.
 */
export async function verifySegment(
  blobs: BlobStore,
  tenantId: TenantId,
  key: string,
  { bytes: length, crc32c: expected, encoding }: { readonly bytes: number; readonly crc32c: number; readonly encoding: number },
): Promise<void> {
  const stored = await blobs.get(tenantId, key);
  const bytes = await decodeSegment(stored, encoding, length).catch((error: unknown) => {
    throw isNoDamage(error) ? error : new BlobDamaged(key, 'it cannot be decoded', { cause: error });
  });
  if (bytes.length !== length || crc32c(bytes) !== expected) throw new BlobDamaged(key, 'its CRC-32C does not match');
}
