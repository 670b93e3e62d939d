import { messageParts } from '#grpc';
import type { Sent, StreamBlobDataResponse } from '#protocols';
import { crc32c } from '#records';

const maxDataBytes = 1024 * 1024;

/**
 * The messages of a blob: its bytes in as few messages as clients accept. The last message has the
 * CRC-32C of all bytes. An empty blob is one message.
 */
export async function* blobMessages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Sent<StreamBlobDataResponse>> {
  let offset = 0;
  let crc = 0;
  // A message is held until more bytes or the end follow. A damaged stream fails before that.
  let held: Buffer = Buffer.alloc(0);
  for await (const part of messageParts(pieces, maxDataBytes)) {
    if (held.length > 0) yield { data: held, offset };
    offset += held.length;
    crc = crc32c(crc, part);
    held = part;
  }
  yield { data: held, offset, finalChunk: true, finalCrc32c: crc };
}
