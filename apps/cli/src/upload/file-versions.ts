import type { ExperimentId } from '#model';
import type { Api, RemoteFile } from '../http/api.ts';
import { beginningCrc32c } from '../local/beginning-crc32c.ts';
import type { FileChecks } from './file-checks.ts';
import type { FileUpload } from './file-upload.ts';
import type { OpenFiles } from './open-files.ts';
import type { Scratch } from './scratch.ts';

/**
 * Finds or creates the version on the server that continues the local file, under the file's name.
 */
export class FileVersions {
  readonly #api: Api;
  readonly #experimentId: ExperimentId;
  readonly #files: OpenFiles;
  readonly #checks: FileChecks;

  constructor(api: Api, experimentId: ExperimentId, files: OpenFiles, checks: FileChecks) {
    this.#api = api;
    this.#experimentId = experimentId;
    this.#files = files;
    this.#checks = checks;
  }

  /**
   * Finds another version that continues as this file: two machines may upload different files with
   * the same name, and a replaced file may come back.
   */
  async findOther(file: FileUpload, scratch: Scratch, latest: RemoteFile): Promise<RemoteFile | null> {
    if (latest.version <= 1) return null;
    const others = (await this.#list(file)).filter(({ fileId }) => fileId !== latest.fileId);
    others.sort((a, b) => b.offset - a.offset || b.version - a.version);
    for (const other of others) if ((await this.#checks.compare(file, scratch, other)) === 'same') return other;
    return null;
  }

  /**
   * Creates a separate version for the file. Another machine with the same file uses the same key,
   * and gets the same version. A machine with a different file of that name gets its own version.
   * Returns null if the file is lost, or must be announced again.
   */
  async create(file: FileUpload, scratch: Scratch, latest: RemoteFile): Promise<RemoteFile | null> {
    const { run, name } = file.found;
    for (let before = latest; ;) {
      file.beginVersion();
      if (file.lost) return null;
      const beginning = await beginningCrc32c(await this.#files.handle(file));
      const created = await this.#api.announce(this.#experimentId, { run, name }, `after-${before.fileId}-${beginning}`);
      if (created.created) return created;
      // The response is a replay of an earlier creation: other clients may have sent bytes since.
      const now = (await this.#list(file)).find(({ fileId }) => fileId === created.fileId);
      const here = now ? await this.#checks.compare(file, scratch, now) : 'other';
      if (now && here === 'same') return now;
      if (here === 'shorter') return null;
      before = created;
    }
  }

  /** The server's current state of a version; null if it was deleted. */
  async current(file: FileUpload, { fileId }: RemoteFile): Promise<RemoteFile | null> {
    const { run, name, bytes } = file.found;
    const latest = await this.#api.announce(this.#experimentId, { run, name, length: bytes });
    return latest.fileId === fileId ? latest : ((await this.#list(file)).find((version) => version.fileId === fileId) ?? null);
  }

  /** The server's versions of the file's name. */
  async #list({ found: { run, name } }: FileUpload): Promise<RemoteFile[]> {
    const listed = (await this.#api.files(this.#experimentId)).filter((file) => file.run === run && file.name === name);
    return listed.map((file) => ({ fileId: file.fileId, version: file.version, offset: file.bytes, crc32c: file.crc32c, created: false }));
  }
}
