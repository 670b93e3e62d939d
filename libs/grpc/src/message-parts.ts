/**
 * Splits the bytes of a stream into parts of `size`; the last part can be shorter, but none is
 * empty. This turns reads of any size into messages of a size that clients accept.
 */
export async function* messageParts(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < size) continue;
    const joined = Buffer.concat(waiting);
    let from = 0;
    for (; bytes - from >= size; from += size) yield joined.subarray(from, from + size);
    waiting = [joined.subarray(from)];
    bytes -= from;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
