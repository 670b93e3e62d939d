import { expect, it } from 'vitest';
import { crc32c } from '#records';
import { blobMessages } from './blob-messages.ts';

async function* piecesOf(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Uint8Array.from({ length: size }, (_, i) => (i * 31 + size) % 256);
}

it.each([[[]], [[0]], [[5]], [[3 * 2 ** 20]], [[1, 2 ** 20, 0, 7]]])(
  'sends the bytes of pieces %j in order, and their checksum at the end',
  async (sizes) => {
    const whole: Uint8Array[] = [];
    for await (const piece of piecesOf(...sizes)) whole.push(piece);
    const bytes = Buffer.concat(whole);
    const messages = [];
    for await (const message of blobMessages(piecesOf(...sizes))) messages.push(message);
    expect(Buffer.concat(messages.map(({ data }) => data!))).toEqual(bytes);
    let offset = 0;
    for (const message of messages) {
      expect(message.offset).toBe(offset);
      expect(message.data!.length).toBeLessThanOrEqual(2 ** 20);
      offset += message.data!.length;
    }
    expect(messages.map(({ finalChunk }) => finalChunk ?? false)).toEqual([...messages.slice(1).map(() => false), true]);
    expect(messages.at(-1)!.finalCrc32c).toBe(crc32c(0, bytes));
  },
);

it('does not report a damaged blob as complete', async () => {
  const damaged = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new Error('damaged');
  };
  const messages: unknown[] = [];
  await expect(async () => {
    for await (const message of blobMessages(damaged())) messages.push(message);
  }).rejects.toThrow('damaged');
  expect(messages).toEqual([]);
});
