import { Readable } from 'node:stream';
import { parseTenantId, type TenantId } from '#model';
import { BlobNotFound, BlobStore, type ByteRange, type PresignOptions, type StoredObject } from '../blob-store.ts';
import { checkContent } from '../content-check.ts';
import { checkListing, checkObjectName } from '../object-keys.ts';

/** Objects in memory, for tests that need a store but no durability. */
export class MemoryBlobStore extends BlobStore {
  readonly objects = new Map<string, Buffer>();
  readonly #modifiedAt = new Map<string, Date>();
  /** The result of `freeBytes`. */
  free: number | null = null;
  /** What `presign` returns. Null if the store has no URLs. */
  address: ((name: string, options: PresignOptions) => string) | null = null;

  override async put(tenantId: TenantId, key: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
    checkObjectName(tenantId, key);
    this.objects.set(`${tenantId}/${key}`, bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.concat(bytes));
    this.#modifiedAt.set(`${tenantId}/${key}`, new Date());
  }

  override async putIfAbsent(tenantId: TenantId, key: string, bytes: Uint8Array): Promise<boolean> {
    checkObjectName(tenantId, key);
    const there = this.objects.get(`${tenantId}/${key}`);
    if (there) return there.equals(bytes);
    await this.put(tenantId, key, bytes);
    return true;
  }

  override async putStream(tenantId: TenantId, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number> {
    const collected: Uint8Array[] = [];
    for await (const piece of pieces()) collected.push(Buffer.from(piece));
    await this.put(tenantId, key, collected);
    return collected.reduce((sum, piece) => sum + piece.length, 0);
  }

  override async get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer> {
    checkObjectName(tenantId, key);
    const object = this.objects.get(`${tenantId}/${key}`);
    if (!object) throw new BlobNotFound(key);
    if (!range) checkContent(key, object);
    return Buffer.from(range ? object.subarray(range.start, Math.max(range.end, range.start)) : object);
  }

  override async stream(tenantId: TenantId, key: string, range?: ByteRange): Promise<Readable> {
    return Readable.from([await this.get(tenantId, key, range)], { objectMode: false });
  }

  override async has(tenantId: TenantId, key: string): Promise<number | null> {
    checkObjectName(tenantId, key);
    return this.objects.get(`${tenantId}/${key}`)?.length ?? null;
  }

  override async delete(tenantId: TenantId, key: string): Promise<void> {
    checkObjectName(tenantId, key);
    this.objects.delete(`${tenantId}/${key}`);
  }

  override async *list(tenantId: TenantId | null, prefix: string): AsyncGenerator<StoredObject> {
    checkListing(tenantId, prefix);
    for (const [name, object] of this.objects) {
      const [tenant, ...rest] = name.split('/');
      const key = rest.join('/');
      if ((tenantId !== null && tenant !== tenantId) || !key.startsWith(prefix)) continue;
      yield { tenantId: parseTenantId(tenant!), key, bytes: object.length, modifiedAt: this.#modifiedAt.get(name) ?? new Date(0) };
    }
  }

  override async presign(tenantId: TenantId, key: string, options: PresignOptions): Promise<string | null> {
    checkObjectName(tenantId, key);
    return this.address?.(`${tenantId}/${key}`, options) ?? null;
  }

  override async freeBytes(): Promise<number | null> {
    return this.free;
  }

  override async now(): Promise<Date> {
    return new Date();
  }
}
