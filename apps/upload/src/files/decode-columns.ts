import { crc32c } from '@node-rs/crc32';
import { pauseIfLong } from '#admission';
import { BadBlock, openBlock, readPrefix } from '#columns';
import { Problem } from '#model';
import type { BodyShare } from './body-budget.ts';
import { bodyTooLarge } from './receive-body.ts';

/**
 * Number of records per slice. Decoding them takes a tenth of a millisecond. Between slices, the
 * event loop can switch to another share.
 */
const recordsPerSlice = 512;

/**
 * The bytes of a range that was sent as a block of columns, with their CRC-32C, which matches the
 * sender's. Decodes in slices, between other requests. Reserves the memory that the block declares,
 * and never uses more. Throws `body-too-large`, `corrupt-encoding`, or `unsupported-encoding` for a
 * newer version of the coding.
 */
export async function decodeColumns(body: Buffer, maxBytes: number, share: BodyShare): Promise<{ bytes: Buffer; crc32c: number }> {
  try {
    const { bytes, packedBytes, crc32c: stated } = readPrefix(body, maxBytes);
    await share.take(bytes + packedBytes);
    const decoder = await openBlock(body, maxBytes);
    await pauseIfLong();
    while (!decoder.step(recordsPerSlice)) await pauseIfLong();
    const decoded = crc32c(decoder.bytes);
    if (decoded !== stated)
      throw new Problem('corrupt-encoding', 'The CRC-32C of the decoded bytes does not match the CRC-32C in the block.');
    share.giveBack(packedBytes);
    return { bytes: decoder.bytes, crc32c: decoded };
  } catch (error) {
    if (!(error instanceof BadBlock)) throw error;
    if (error.reason === 'too-large') throw bodyTooLarge(maxBytes);
    const code = error.reason === 'damaged' ? 'corrupt-encoding' : 'unsupported-encoding';
    throw new Problem(code, `${error.message} Send the range again without this coding.`, { cause: error });
  }
}
