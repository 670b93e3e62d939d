import { EventFile } from '../local/event-file.ts';
import type { FileUpload } from './file-upload.ts';

/** The handles of the files that are being uploaded: each is opened once, when it is first read. */
export class OpenFiles {
  readonly #open = new Map<FileUpload, Promise<EventFile>>();

  handle(file: FileUpload): Promise<EventFile> {
    let handle = this.#open.get(file);
    if (!handle) {
      handle = EventFile.open(file.found.path);
      // A failed open is reported to the caller that awaits it, and must be retried.
      handle.catch(() => this.#open.delete(file));
      this.#open.set(file, handle);
    }
    return handle;
  }

  async close(file: FileUpload): Promise<void> {
    const handle = this.#open.get(file);
    this.#open.delete(file);
    await (await handle)?.close();
  }
}
