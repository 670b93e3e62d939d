import { inflateSync } from 'node:zlib';

/**
 * Converts the font of a WOFF file (version 1) to OpenType, which the renderer reads: the same
 * tables, unpacked (https://www.w3.org/TR/WOFF/, 3 to 5). The files are ours, never uploads.
 */
export function readWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('this is not a WOFF file');
  const tables = woff.readUInt16BE(12);
  const found = Array.from({ length: tables }, (_, i) => {
    const entry = woff.subarray(44 + 20 * i, 64 + 20 * i);
    const offset = entry.readUInt32BE(4);
    const packed = woff.subarray(offset, offset + entry.readUInt32BE(8));
    const size = entry.readUInt32BE(12);
    return { tag: entry.subarray(0, 4), checksum: entry.readUInt32BE(16), bytes: packed.length < size ? inflateSync(packed) : packed };
  });
  const head = Buffer.alloc(12 + 16 * tables);
  const power = Math.floor(Math.log2(tables));
  woff.copy(head, 0, 4, 8); // flavor
  head.writeUInt16BE(tables, 4);
  head.writeUInt16BE(16 * 2 ** power, 6);
  head.writeUInt16BE(power, 8);
  head.writeUInt16BE(16 * tables - 16 * 2 ** power, 10);
  const parts: Buffer[] = [head];
  let at = head.length;
  found.forEach(({ tag, checksum, bytes }, i) => {
    const entry = 12 + 16 * i;
    tag.copy(head, entry);
    head.writeUInt32BE(checksum, entry + 4);
    head.writeUInt32BE(at, entry + 8);
    head.writeUInt32BE(bytes.length, entry + 12);
    const padding = (4 - (bytes.length % 4)) % 4;
    parts.push(bytes, Buffer.alloc(padding));
    at += bytes.length + padding;
  });
  return Buffer.concat(parts);
}
