import { Injectable } from '@nestjs/common';
import { blobKey, BlobNotFound, BlobStore } from '#blobs';
import type { TenantId } from '#model';
import { type BlobType, sniffBlob, sniffedBytes } from '#series';

/**
 * Maximum cached types, about 100 bytes each. The content of a hash never changes, so entries stay
 * valid.
 */
const maxRemembered = 100_000;

/** Detects the type of a blob from its first bytes, once. */
@Injectable()
export class BlobTypes {
  readonly #blobs: BlobStore;
  readonly #known = new Map<string, BlobType>();

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * The type of a blob; `sha256` in hexadecimal. A removed object (of a tenant that was just
   * deleted) has no displayable type.
   */
  async typeOf(tenantId: TenantId, sha256: string, bytes: number): Promise<BlobType> {
    // Cached per workspace: otherwise the response time would reveal that another workspace has the
    // same blob.
    const name = `${tenantId} ${sha256}`;
    const known = this.#known.get(name);
    if (known) return known;
    try {
      const head = await this.#blobs.get(tenantId, blobKey(Buffer.from(sha256, 'hex')), { start: 0, end: sniffedBytes });
      const found = sniffBlob(head, bytes);
      if (this.#known.size >= maxRemembered) this.#known.clear();
      this.#known.set(name, found);
      return found;
    } catch (error) {
      if (error instanceof BlobNotFound) return { contentType: 'application/octet-stream', inline: false };
      throw error;
    }
  }
}

/**
 * `Content-Disposition` of a blob: inline if a browser may display it, otherwise a download.
 * `sha256` in hexadecimal.
 */
export function dispositionOf(type: BlobType, sha256: string): string {
  const ending = type.contentType.startsWith('text/plain') ? 'txt' : 'bin';
  return type.inline ? 'inline' : `attachment; filename="${sha256.slice(0, 16)}.${ending}"`;
}
