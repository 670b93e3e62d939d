import type { Sent, StreamBlobDataResponse } from '#protocols';
import { crc32c } from '#records';

const maxPieceBytes = 1024 * 1024;

/** The messages of a blob: its bytes in pieces that clients take, the last one with the CRC-32C of all. An empty blob is one message. */
export async function* blobMessages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Sent<StreamBlobDataResponse>> {
  let offset = 0;
  let crc = 0;
  // The last piece is known when nothing comes after it; a stream that is damaged fails before.
  let held: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += maxPieceBytes) {
      if (held.length > 0) yield { data: held, offset };
      offset += held.length;
      held = piece.subarray(from, from + maxPieceBytes);
      crc = crc32c(crc, held);
    }
  }
  yield { data: held, offset, finalChunk: true, finalCrc32c: crc };
}
