import { combineCrc32c } from '#records';
import { crc32c } from './crc32c.ts';
import type { EventFile } from './event-file.ts';

/**
 * Bytes per block. A compromise between the cost of a check and the memory for the digests of a
 * large file (80,000 for 10 GB). The value is a guess.
 */
export const blockBytes = 128 * 1024;
/** Network file systems leave holes of whole pages. */
const pageBytes = 4096;
/** A record ends with a checksum, so a file that ends with this many zeros is incomplete. */
const endZeros = 8;
const headBytes = 64;
const zeroPage = Buffer.alloc(pageBytes);

/** The digest of consecutive bytes of a file. */
export interface Block {
  readonly length: number;
  readonly crc: number;
  /**
   * Whether the bytes contained a page of zeros, or ended with zeros, which may have been a hole.
   */
  readonly zeros: boolean;
  /** The first bytes of a file, for the block at its start. */
  readonly head: Uint8Array | null;
}

/** Digests `bytes`, which start at `offset` in their file, as blocks. */
export function digestBlocks(bytes: Uint8Array, offset: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const part = bytes.subarray(at, Math.min(at + blockBytes, bytes.length));
    const found = findZeros(part, offset + at);
    const zeros = found !== null && (!found.atEnd || at + part.length === bytes.length);
    const head = offset + at === 0 ? Uint8Array.from(part.subarray(0, headBytes)) : null;
    blocks.push({ length: part.length, crc: crc32c(part), zeros, head });
  }
  return blocks;
}

/**
 * The start of the first zeros that may hide content this machine does not see yet: a whole page,
 * or the end. Null if there are none.
 */
export function findZeros(bytes: Uint8Array, offset: number): { readonly at: number; readonly atEnd: boolean } | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = buffer.length;
  while (end > 0 && buffer[end - 1] === 0) end--;
  for (let page = (pageBytes - (offset % pageBytes)) % pageBytes; page + pageBytes <= end; page += pageBytes) {
    if (buffer[page] !== 0 || buffer[page + pageBytes - 1] !== 0) continue;
    if (buffer.compare(zeroPage, 0, pageBytes, page, page + pageBytes) !== 0) continue;
    let start = page;
    while (start > 0 && buffer[start - 1] === 0) start--;
    return { at: offset + start, atEnd: false };
  }
  return buffer.length - end >= endZeros ? { at: offset + end, atEnd: true } : null;
}

/**
 * Reads [start, end) of a file and digests it; null if the file is shorter. `scratch` bounds the
 * memory.
 */
export async function readBlocks(file: EventFile, start: number, end: number, scratch: Uint8Array): Promise<Block[] | null> {
  const blocks: Block[] = [];
  const max = Math.max(scratch.length - (scratch.length % blockBytes), Math.min(scratch.length, blockBytes));
  for (let at = start; at < end;) {
    const part = scratch.subarray(0, Math.min(max, end - at));
    if ((await file.read(part, at)) < part.length) return null;
    addBlocks(blocks, digestBlocks(part, at));
    at += part.length;
  }
  return blocks;
}

/** Appends blocks, and joins small blocks. */
export function addBlocks(to: Block[], more: readonly Block[]): void {
  for (const block of more) {
    const last = to.at(-1);
    if (!last || last.length + block.length > blockBytes) to.push(block);
    else
      to[to.length - 1] = {
        length: last.length + block.length,
        crc: combineCrc32c(last.crc, block.crc, block.length),
        zeros: last.zeros || block.zeros,
        head: last.head,
      };
  }
}

/** CRC-32C of the concatenated bytes of all blocks. */
export function crcOfBlocks(blocks: readonly Block[]): number {
  return blocks.reduce((crc, block) => combineCrc32c(crc, block.crc, block.length), 0);
}
