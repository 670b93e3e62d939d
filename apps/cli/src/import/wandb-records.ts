import { open } from 'node:fs/promises';
import { crc32 } from '@node-rs/crc32';

/*
 * W&B's offline files are LevelDB logs: blocks of 32 KiB with parts of records. The checksum is the
 * unmasked CRC-32 of the kind and the data.
 */
const blockBytes = 32_768;
const headerBytes = 7;
const magic = Buffer.from(':W&B');
const magicNumber = 0xbee1;
const maxRecordBytes = 64 * 1024 * 1024;
const whole = 1;
const first = 2;
const middle = 3;
const last = 4;

/** Thrown if a file is damaged and the rest of it cannot be read. */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord';
}

/**
 * Yields the records of a `.wandb` file. Omits an incomplete last record, which a killed process
 * leaves. Throws {@link DamagedRecord}.
 */
export async function* wandbRecords(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r');
  try {
    const block = Buffer.alloc(blockBytes);
    let parts: Buffer[] = [];
    for (let start = 0; ; start += blockBytes) {
      let length = 0;
      for (let read = -1; length < blockBytes && read !== 0; length += read)
        read = (await handle.read(block, length, blockBytes - length, start + length)).bytesRead;
      let at = 0;
      if (start === 0) {
        if (length < headerBytes || !block.subarray(0, 4).equals(magic) || block.readUInt16LE(4) !== magicNumber)
          throw new DamagedRecord('it does not begin with a W&B header');
        at = headerBytes;
      }
      while (at + headerBytes <= length) {
        const checksum = block.readUInt32LE(at);
        const bytes = block.readUInt16LE(at + 4);
        const kind = block[at + 6]!;
        if (checksum === 0 && bytes === 0 && kind === 0) break; // the padding of the block
        const end = at + headerBytes + bytes;
        if (end > length) return; // unfinished
        const data = block.subarray(at + headerBytes, end);
        if (crc32(data, crc32(block.subarray(at + 6, at + 7))) !== checksum)
          throw new DamagedRecord(`the record at byte ${start + at} has a wrong checksum`);
        if (kind === whole || kind === first) parts = [];
        if (kind < whole || kind > last || ((kind === middle || kind === last) && parts.length === 0))
          throw new DamagedRecord(`the record at byte ${start + at} has no first part`);
        parts.push(Buffer.from(data));
        if (parts.reduce((sum, part) => sum + part.length, 0) > maxRecordBytes)
          throw new DamagedRecord(`the record at byte ${start + at} is longer than ${maxRecordBytes} bytes`);
        if (kind === whole || kind === last) {
          yield Buffer.concat(parts);
          parts = [];
        }
        at = end;
      }
      if (length < blockBytes) return;
    }
  } finally {
    await handle.close();
  }
}
