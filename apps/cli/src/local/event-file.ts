import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { crc32c } from './crc32c.ts';

/** A local event file opened for reading. */
export class EventFile {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string): Promise<EventFile> {
    return new EventFile(await open(path, 'r'));
  }

  /** The stat of the open file, even if its name now refers to another file. */
  stat(): Promise<Stats> {
    return this.#handle.stat();
  }

  /**
   * Fills `into` from byte `position` on. Returns the number of bytes read. If it is lower than
   * requested, the file ends there.
   */
  async read(into: Uint8Array, position: number): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const { bytesRead } = await this.#handle.read(into, filled, into.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  /**
   * CRC-32C of bytes [start, end), continuing from `initial`; null if the file is shorter.
   * `scratch` bounds the memory.
   */
  async checksum(start: number, end: number, scratch: Uint8Array, initial = 0): Promise<number | null> {
    let crc = initial;
    for (let at = start; at < end;) {
      const part = scratch.subarray(0, Math.min(scratch.length, end - at));
      if ((await this.read(part, at)) < part.length) return null;
      crc = crc32c(part, crc);
      at += part.length;
    }
    return crc;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
