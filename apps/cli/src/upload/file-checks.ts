import type { RemoteFile } from '../http/api.ts';
import { blockBytes, crcOfBlocks, readBlocks } from '../local/block-digests.ts';
import { foundAgain } from '../local/scan.ts';
import type { FileUpload } from './file-upload.ts';
import type { OpenFiles } from './open-files.ts';
import type { Scratch } from './scratch.ts';

/**
 * When a file has grown, this many bytes at the end of the sent part are checked again, in addition
 * to its start.
 */
const tailBytes = 64 * 1024;
/** Maximum blocks with zeros per check. */
const maxZeroBlocks = 4;

/** Compares local files with their sent parts by checksums of their bytes. */
export class FileChecks {
  readonly #files: OpenFiles;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

  /**
   * Whether the server's durable prefix is a prefix of the local file. The state from the scan may
   * be outdated: while the file grows, another client may have sent more than the scan saw. The
   * current file is therefore checked if the server has more bytes or has contradicted us.
   */
  async compare(file: FileUpload, scratch: Scratch, remote: RemoteFile): Promise<'same' | 'shorter' | 'other'> {
    file.compared = [];
    if (remote.offset === 0 && !file.conflict) return 'same';
    const handle = await this.#files.handle(file);
    if (remote.offset > file.found.bytes || file.conflict) file.found = foundAgain(file.found, await handle.stat());
    if (remote.offset > file.found.bytes) return 'shorter';
    const blocks = await readBlocks(handle, 0, remote.offset, scratch.take(remote.offset));
    if (blocks !== null && crcOfBlocks(blocks) === remote.crc32c) {
      file.compared = blocks;
      return 'same';
    }
    if (blocks !== null) return 'other';
    file.found = foundAgain(file.found, await handle.stat());
    return 'shorter';
  }

  /** Checks cheaply whether a shorter file is a prefix of the sent part. */
  async beginsAsSent(file: FileUpload, scratch: Scratch): Promise<boolean> {
    const { bytes } = file.found;
    const handle = await this.#files.handle(file);
    const sent = file.blocks[0]?.head?.subarray(0, bytes) ?? new Uint8Array(0);
    const here = scratch.take(Math.max(sent.length, 1)).subarray(0, sent.length);
    if ((await handle.read(here, 0)) < here.length || Buffer.compare(here, sent) !== 0) return false;
    let [last, at, end] = [-1, 0, 0];
    for (const [i, block] of file.blocks.entries()) {
      if (end + block.length > bytes) break;
      [last, at, end] = [i, end, end + block.length];
    }
    return last < 0 || this.#blockIsSame(file, scratch, last, at);
  }

  /**
   * Checks cheaply whether the sent bytes are unchanged: the start, the end, and blocks that
   * contained zeros, which may have been holes. `sample`: checks one more block, a different block
   * each time.
   */
  async looksSame(file: FileUpload, scratch: Scratch, sample: boolean): Promise<boolean> {
    const { blocks } = file;
    const wanted = new Set<number>();
    if (!sample) {
      wanted.add(0);
      for (let i = blocks.length - 1, behind = 0; i >= 0 && behind < tailBytes; i--) {
        wanted.add(i);
        behind += blocks[i]!.length;
      }
    } else {
      wanted.add(file.nextSample++ % Math.max(blocks.length, 1));
    }
    const zeros = blocks.flatMap((block, i) => (block.zeros ? [i] : []));
    for (let i = 0; i < Math.min(maxZeroBlocks, zeros.length); i++) wanted.add(zeros[file.nextZeros++ % zeros.length]!);
    let at = 0;
    for (const [i, block] of blocks.entries()) {
      if (wanted.has(i) && !(await this.#blockIsSame(file, scratch, i, at))) return false;
      at += block.length;
    }
    return true;
  }

  /** The full check: whether all sent bytes are unchanged. */
  async isAsSent(file: FileUpload, scratch: Scratch): Promise<boolean> {
    const crc = await (await this.#files.handle(file)).checksum(0, file.checkedBytes, scratch.take(file.checkedBytes));
    return crc === file.crc;
  }

  async #blockIsSame(file: FileUpload, scratch: Scratch, index: number, at: number): Promise<boolean> {
    const block = file.blocks[index]!;
    const crc = await (await this.#files.handle(file)).checksum(at, at + block.length, scratch.take(blockBytes));
    return crc === block.crc;
  }
}
