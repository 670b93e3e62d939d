import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addBlocks, type Block, blockBytes, crcOfBlocks, digestBlocks, findZeros } from './block-digests.ts';
import { crc32c } from './crc32c.ts';

describe('block digests', () => {
  it('give the checksum of the whole and of each block, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 8 }), (lengths) => {
        const blocks: Block[] = [];
        const bytes = Buffer.alloc(lengths.reduce((sum, length) => sum + length, 0)).map((_, i) => (i * 31) & 255);
        let at = 0;
        for (const length of lengths) {
          addBlocks(blocks, digestBlocks(bytes.subarray(at, at + length), at));
          at += length;
        }
        expect(crcOfBlocks(blocks)).toBe(crc32c(bytes));
        let start = 0;
        for (const block of blocks) {
          expect(block.length).toBeLessThanOrEqual(blockBytes);
          expect(block.crc).toBe(crc32c(bytes.subarray(start, start + block.length)));
          start += block.length;
        }
        expect(start).toBe(bytes.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('findZeros', () => {
  const ones = (length: number) => Buffer.alloc(length, 1);
  it('finds a page of zeros, from its first zero', () => {
    expect(findZeros(ones(20_000).fill(0, 5000, 13_000), 0)).toEqual({ at: 5000, atEnd: false });
    expect(findZeros(ones(20_000).fill(0, 5000, 13_000), 100_000)).toEqual({ at: 105_000, atEnd: false });
  });

  it('finds zeros at the end', () => {
    expect(findZeros(ones(100).fill(0, 92), 7)).toEqual({ at: 99, atEnd: true });
    expect(findZeros(Buffer.alloc(5000), 0)).toEqual({ at: 0, atEnd: true });
  });

  it('ignores fewer zeros, which any record may contain', () => {
    expect(findZeros(ones(100).fill(0, 93), 0)).toBeNull();
    expect(findZeros(ones(20_000).fill(0, 4097, 4096 * 2 + 4095), 0)).toBeNull();
    expect(findZeros(Buffer.alloc(0), 0)).toBeNull();
  });
});
