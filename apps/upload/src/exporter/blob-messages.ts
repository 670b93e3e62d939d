import { messageParts } from '#grpc';
import type { Sent, StreamBlobDataResponse } from '#protocols';
import { crc32c } from '#records';

const maxDataBytes = 1024 * 1024;

/**
 * The messages of a blob: its bytes in as few messages as clients accept, the last one with the
 * CRC-32C of all. An empty blob is one message.
 */
export async function* blobMessages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Sent<StreamBlobDataResponse>> {
  let offset = 0;
  let crc = 0;
  // A message is known to be the last only when nothing follows; a damaged stream fails before.
  let held: Buffer = Buffer.alloc(0);
  for await (const part of messageParts(pieces, maxDataBytes)) {
    if (held.length > 0) yield { data: held, offset };
    offset += held.length;
    crc = crc32c(crc, part);
    held = part;
  }
  yield { data: held, offset, finalChunk: true, finalCrc32c: crc };
}
