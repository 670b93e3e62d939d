import type { Sent, StreamBlobDataResponse } from '#protocols';
import { crc32c } from '#records';

const maxDataBytes = 1024 * 1024;

/** The messages of a blob: its bytes in as few messages as clients take, the last one with the CRC-32C of all. An empty blob is one message. */
export async function* blobMessages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Sent<StreamBlobDataResponse>> {
  let offset = 0;
  let crc = 0;
  // The last message is known when nothing comes after it; a stream that is damaged fails before.
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    crc = crc32c(crc, piece);
    for (let from = 0; from < piece.length; from += maxDataBytes) {
      const part = piece.subarray(from, from + maxDataBytes);
      if (bytes + part.length > maxDataBytes) {
        yield { data: Buffer.concat(held), offset };
        offset += bytes;
        held = [];
        bytes = 0;
      }
      held.push(part);
      bytes += part.length;
    }
  }
  yield { data: Buffer.concat(held), offset, finalChunk: true, finalCrc32c: crc };
}
