import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isTenantId, type TenantId } from '#model';
import { BlobNotFound, BlobStore, type ByteRange, type StoredObject } from './blob-store.ts';
import { checkContent, checked, ContentCheck } from './content-check.ts';
import { asProblem, codeOf, holds, namesIn, sizeOf, statOf, writeAll } from './folder-files.ts';
import { FolderSync } from './folder-sync.ts';
import { checkListing, checkObjectName } from './object-keys.ts';

/**
 * Objects as files in a folder:
 *
 *   <root>/.incoming/<random>                        being written
 *   <root>/<tenant>/<kind>/<two hex digits>/<name>   complete; the digits come from the SHA-256 of the key and keep folders small
 *
 * A write creates a temporary file, syncs it, renames it, and syncs the folder. So a file with its
 * final name is always complete.
 */
export class FolderBlobStore extends BlobStore {
  readonly #root: string;
  readonly #incoming: string;
  readonly #folders: FolderSync;

  private constructor(root: string) {
    super();
    this.#root = root;
    this.#incoming = join(root, '.incoming');
    this.#folders = new FolderSync(root);
  }

  /**
   * Opens the folder, creating it if absent (mode 0700), and removes incomplete files left by
   * writers that died.
   */
  static async open(root: string): Promise<FolderBlobStore> {
    const store = new FolderBlobStore(root);
    await mkdir(store.#incoming, { recursive: true, mode: 0o700 });
    await store.#folders.sync(root);
    await store.#removeAbandoned();
    return store;
  }

  override async put(tenantId: TenantId, key: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    const place = this.#place(tenantId, key);
    if (await holds(place.file, pieces)) {
      await this.#folders.sync(place.folder); // its writer may not have reached this yet
      return;
    }
    await this.#write(place, (file) => writeAll(file, pieces));
  }

  override async putIfAbsent(tenantId: TenantId, key: string, bytes: Uint8Array): Promise<boolean> {
    const place = this.#place(tenantId, key);
    try {
      // Linking fails if the file exists; a rename would replace the file.
      await this.#write(place, (file) => writeAll(file, [bytes]), link);
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      await this.#folders.sync(place.folder);
      return holds(place.file, [bytes]);
    }
  }

  override async putStream(tenantId: TenantId, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number> {
    let length = 0;
    await this.#write(this.#place(tenantId, key), async (file) => {
      for await (const piece of pieces()) {
        await writeAll(file, [piece]);
        length += piece.length;
      }
    });
    return length;
  }

  override async get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer> {
    const file = await this.#open(tenantId, key);
    try {
      const { size } = await file.stat();
      const start = range?.start ?? 0;
      const buffer = Buffer.allocUnsafe(Math.max(Math.min(range?.end ?? size, size) - start, 0));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) throw new Error(`object ${key} became shorter while it was being read`);
        filled += bytesRead;
      }
      if (!range) checkContent(key, buffer);
      return buffer;
    } finally {
      await file.close();
    }
  }

  override async stream(tenantId: TenantId, key: string, range?: ByteRange): Promise<Readable> {
    const file = await this.#open(tenantId, key);
    if (range && range.end <= range.start) {
      await file.close();
      return Readable.from([], { objectMode: false });
    }
    // createReadStream's `end` is inclusive. The stream closes the file when it ends or is
    // destroyed.
    if (range) return file.createReadStream({ start: range.start, end: range.end - 1 });
    return Readable.from(checked(file.createReadStream(), new ContentCheck(key)), { objectMode: false });
  }

  override async has(tenantId: TenantId, key: string): Promise<number | null> {
    return sizeOf(this.#place(tenantId, key).file);
  }

  override async delete(tenantId: TenantId, key: string): Promise<void> {
    await rm(this.#place(tenantId, key).file, { force: true });
  }

  override async *list(tenantId: TenantId | null, prefix: string): AsyncGenerator<StoredObject> {
    checkListing(tenantId, prefix);
    const tenants = tenantId === null ? (await readdir(this.#root)).filter(isTenantId) : [tenantId];
    for (const tenant of tenants) {
      for (const kind of await namesIn(join(this.#root, tenant))) {
        // The kind is the prefix up to its first slash.
        if (!(prefix.includes('/') ? prefix.startsWith(`${kind}/`) : kind.startsWith(prefix))) continue;
        for (const digits of await namesIn(join(this.#root, tenant, kind))) {
          const folder = join(this.#root, tenant, kind, digits);
          for (const name of await namesIn(folder)) {
            const key = `${kind}/${name.replaceAll('.', '/')}`;
            if (!key.startsWith(prefix)) continue;
            const found = await statOf(join(folder, name));
            if (found) yield { tenantId: tenant, key, bytes: found.size, modifiedAt: found.mtime };
          }
        }
      }
    }
  }

  /** A folder cannot presign URLs. */
  override async presign(tenantId: TenantId, key: string): Promise<null> {
    checkObjectName(tenantId, key);
    return null;
  }

  override async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Reads the time from a new file, because a network folder has another machine's clock. */
  override async now(): Promise<Date> {
    const marker = join(this.#incoming, randomUUID());
    const file = await open(marker, 'wx', 0o600);
    try {
      return (await file.stat()).mtime;
    } finally {
      await file.close();
      await rm(marker, { force: true });
    }
  }

  #place(tenantId: TenantId, key: string): Place {
    checkObjectName(tenantId, key);
    const [kind, ...name] = key.split('/');
    const digits = createHash('sha256').update(key).digest('hex').slice(0, 2);
    const folder = join(this.#root, tenantId, kind!, digits);
    // A key has no dot, so two keys cannot map to one file.
    return { folder, file: join(folder, name.join('.')) };
  }

  /** `name` moves the complete temporary file to its final name. */
  async #write(place: Place, fill: (file: FileHandle) => Promise<void>, name: typeof rename = rename): Promise<void> {
    const temporary = join(this.#incoming, randomUUID());
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await fill(file);
        await file.datasync();
      } finally {
        await file.close();
      }
      await this.#folders.make(place.folder);
      await this.#nameFile(place, temporary, name);
      if (name === link) await rm(temporary, { force: true });
      await this.#folders.sync(place.folder);
    } catch (error) {
      await rm(temporary, { force: true });
      throw asProblem(error);
    }
  }

  async #nameFile(place: Place, temporary: string, name: typeof rename): Promise<void> {
    try {
      await name(temporary, place.file);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Something else removed the folder while we were running.
      for (let folder = place.folder; folder !== this.#root; folder = join(folder, '..')) this.#folders.forget(folder);
      await this.#folders.make(place.folder);
      await name(temporary, place.file);
    }
  }

  async #open(tenantId: TenantId, key: string): Promise<FileHandle> {
    try {
      return await open(this.#place(tenantId, key).file, constants.O_RDONLY);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new BlobNotFound(key, { cause: error });
      throw error;
    }
  }

  async #removeAbandoned(): Promise<void> {
    // Another process may be writing to the same folder, but no writer pauses this long between two
    // writes to one file.
    const abandonedBefore = (await this.now()).getTime() - 3_600_000;
    for (const name of await readdir(this.#incoming)) {
      const file = join(this.#incoming, name);
      // A file that no longer exists was renamed to its final name, so it was not abandoned.
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < abandonedBefore) await rm(file, { force: true });
    }
  }
}

interface Place {
  readonly folder: string;
  readonly file: string;
}
