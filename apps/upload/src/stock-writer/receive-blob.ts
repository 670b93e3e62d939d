import { crc32c } from '@node-rs/crc32';
import { RejectedMessage } from '#grpc';
import { limits, Problem } from '#model';
import type { WriteBlobRequest } from '#protocols';
import type { BodyShare } from '../files/body-budget.ts';
import { type ArrivedBlob, crcOf, maxUploaderBlobBytes } from './blob-sequences.ts';

/** The result of a stream that sends a blob. */
export interface ReceivedBlob {
  /** Null if the stream ended before the blob was complete; nothing is stored then. */
  readonly blob: ArrivedBlob | null;
}

/**
 * Reads the chunks of one blob. Reserves memory as bytes arrive. If a sender has to wait, flow
 * control holds it back; it never gets a status. Calls `check` with the first chunk, before reading
 * further chunks. Null if there was no message, as for a blob of 0 bytes.
 */
export async function receiveBlob(
  messages: AsyncIterable<WriteBlobRequest | RejectedMessage>,
  share: BodyShare,
  check: (first: WriteBlobRequest) => Promise<void>,
): Promise<ReceivedBlob | null> {
  let first: WriteBlobRequest | null = null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const message of inTime(messages)) {
    if (message instanceof RejectedMessage) throw message.problem;
    if (first === null) {
      first = message;
      await check(message);
    }
    if (message.blobSequenceId !== first.blobSequenceId || message.index !== first.index)
      throw new Problem('bad-request', 'A stream can only contain the chunks of one blob.');
    if (message.offset !== BigInt(size)) throw new Problem('bad-request', `The next chunk of this blob must start at ${size}.`);
    if (message.crc32c !== 0 && message.crc32c !== crc32c(message.data))
      throw new Problem('digest-mismatch', 'The CRC-32C of a chunk does not match.');
    size += message.data.length;
    if (size > maxUploaderBlobBytes) throw new Problem('body-too-large', `A blob is limited to ${maxUploaderBlobBytes} bytes.`);
    await share.take(message.data.length);
    pieces.push(message.data);
    if (!message.finalizeObject) continue;
    const crc = crcOf(pieces);
    if (message.finalCrc32c !== 0 && message.finalCrc32c !== crc)
      throw new Problem('digest-mismatch', 'The CRC-32C of the blob does not match.');
    if (message.blobBytes !== 0n && message.blobBytes !== BigInt(size))
      throw new Problem('bad-request', `The blob has ${size} bytes instead of ${message.blobBytes}.`);
    return { blob: { sequenceId: first.blobSequenceId, index: Number(first.index), size, crc32c: crc, body: Buffer.concat(pieces) } };
  }
  return first === null ? null : { blob: null };
}

/** Wraps the iterable. Cuts off a sender that is idle for too long or takes too long in total. */
async function* inTime<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const endsAt = performance.now() + limits.bodyTimeoutMs;
  for (;;) {
    const idleMs = Math.min(limits.bodyIdleTimeoutMs, endsAt - performance.now());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Problem('body-timeout', 'The blob arrived too slowly; send it again.')), idleMs);
    });
    const next = iterator.next();
    next.catch(() => undefined);
    try {
      const { done, value } = await Promise.race([next, late]);
      if (done === true) return;
      yield value;
    } finally {
      clearTimeout(timer);
    }
  }
}
