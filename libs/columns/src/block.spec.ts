import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '#records';
import { frameRecord, frameRecords } from '#records/testing';
import { writeEventFile } from '#testing';
import { BadBlock } from './bad-block.ts';
import { columnsVersion, encodeBlock, openBlock, openItems, readPrefix } from './block.ts';
import { packRange } from './pack-range.ts';
import { RangeDecoder } from './range-decoder.ts';

/** Random cases per property; `PROPERTY_RUNS=100000` for a long run. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 400);

const timeout = 30_000 + 10 * numRuns;

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

function unpack(packed: Uint8Array, length: number, itemsPerStep = 7): Buffer {
  const decoder = new RangeDecoder(packed, length);
  while (!decoder.step(itemsPerStep));
  return decoder.bytes;
}

function scalarLog(steps: number, tags: readonly string[], from = 0): Buffer {
  return Buffer.from(
    writeEventFile(
      Array.from({ length: steps }, (_, i) => ({
        step: from + i,
        wallTime: 1.7e9 + i * 0.5,
        scalars: Object.fromEntries(tags.map((tag, t) => [tag, Math.sin(i + t)])),
      })),
    ),
  );
}

const log = scalarLog(300, ['loss', 'train/accuracy', 'lr']);

/**
 * An event with wall time, step and one value, in the encodings that writers use, and in a few
 * other encodings.
 */
const event = fc
  .record({
    wall: fc.option(fc.uint8Array({ minLength: 8, maxLength: 8 })),
    step: fc.option(fc.uint8Array({ minLength: 1, maxLength: 10 })),
    tag: fc.constantFrom('loss', 'x', 'train/accuracy'),
    value: fc.uint8Array({ minLength: 4, maxLength: 4 }),
    form: fc.constantFrom('simple', 'tensor', 'double', 'text'),
  })
  .map(({ wall, step, tag, value, form }) => {
    const data = {
      simple: [0x15, ...value],
      tensor: [0x42, 10, 0x08, 1, 0x12, 0, 0x22, 4, ...value],
      double: [0x42, 14, 0x08, 2, 0x12, 0, 0x32, 8, ...value, ...value],
      text: [0x4a, 4, ...value],
    }[form];
    const field = [0x0a, tag.length, ...Buffer.from(tag), ...data];
    const summary = [0x0a, field.length, ...field];
    const varint = step && [0x10, ...step.map((byte, i) => (i === step.length - 1 ? byte & 127 : byte | 128))];
    return Uint8Array.from([...(wall ? [0x09, ...wall] : []), ...(varint ?? []), 0x2a, summary.length, ...summary]);
  });

/** Pieces of a file: records, damaged records, and other bytes. */
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(event, fc.integer({ min: 1, max: 12 })).map(([data, times]) => frameRecords(Array<Uint8Array>(times).fill(data))),
  },
  { weight: 3, arbitrary: event.map((data) => frameRecord(data)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((data) => frameRecord(data)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(event, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([data, at, change]) => {
      const record = frameRecord(data);
      record[at % record.length]! ^= change;
      return record;
    }),
  },
);

const range = fc.tuple(fc.array(piece, { maxLength: 12 }), fc.nat(60), fc.nat(60)).map(([pieces, fromStart, fromEnd]) => {
  const all = Buffer.concat(pieces);
  return all.subarray(Math.min(fromStart, all.length), Math.max(all.length - fromEnd, Math.min(fromStart, all.length)));
});

describe('a packed range', { timeout }, () => {
  it('returns the same bytes, for any content and any bounds', () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 9 }), (bytes, itemsPerStep) => {
        const packed = packRange(bytes);
        expect(unpack(packed, bytes.length, itemsPerStep).equals(bytes)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('returns a range of a log from every position', () => {
    for (let start = 0; start < 200; start++) {
      const bytes = log.subarray(start, start + 4_000 + start * 7);
      expect(unpack(packRange(bytes), bytes.length).equals(bytes), `from ${start}`).toBe(true);
    }
  });

  it('keeps steps with overlong varints, and those of ten bytes', () => {
    for (const step of [
      [0x80, 0x00],
      [0x81, 0x80, 0x80, 0x00],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ]) {
      const data = Uint8Array.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, ...step, 0x2a, 10, 0x0a, 8, 0x0a, 1, 0x61, 0x15, 1, 2, 3, 4]);
      const bytes = Buffer.from(frameRecords([data, data, data]));
      expect(unpack(packRange(bytes), bytes.length).equals(bytes)).toBe(true);
    }
  });

  it('needs a few bytes per scalar before compression', () => {
    // Wall time 8, step 1, value 4; the template and the order are shared.
    expect(packRange(log).length / 900).toBeLessThan(14.5);
  });

  it('does not grow by more than its parts', () => {
    const noise = randomBytes(5_000);
    expect(packRange(noise).length).toBeLessThanOrEqual(noise.length + 64);
    expect(packRange(Buffer.alloc(0)).length).toBeLessThanOrEqual(64);
  });
});

describe('a block', () => {
  it('states the length and checksum of its range, and restores it', async () => {
    const block = (await encodeBlock(log, crc32c(0, log)))!;
    expect(block[0]).toBe(columnsVersion);
    expect(readPrefix(block, log.length)).toMatchObject({ bytes: log.length, crc32c: crc32c(0, log) });
    const decoder = await openBlock(block, log.length);
    while (!decoder.step(100));
    expect(decoder.bytes.equals(log)).toBe(true);
    expect(block.length).toBeLessThan(log.length / 6);
  });

  it('returns the same records without restoring its bytes, and detects every changed bit', async () => {
    const stated = { bytes: log.length, crc32c: crc32c(0, log) };
    const block = (await encodeBlock(log, stated.crc32c))!;
    const items = await openItems(block, stated);
    let bytes = 0;
    while (items.next()) bytes += items.bytes;
    expect(bytes).toBe(log.length);
    for (let at = 0; at < block.length; at += 1 + (at >> 6)) {
      const damaged = Buffer.from(block);
      damaged[at]! ^= 1 << (at & 7);
      // Some bits of a frame's header have no meaning for a frame of this size.
      const same = await openItems(damaged, stated).catch((error: unknown) => {
        expect(error, `byte ${at}`).toBeInstanceOf(BadBlock);
        return null;
      });
      if (same === null) continue;
      const restored = await openBlock(damaged, log.length);
      while (!restored.step(100));
      expect(restored.bytes.equals(log), `byte ${at}`).toBe(true);
    }
    await expect(openItems(block, { ...stated, crc32c: 1 })).rejects.toThrow(BadBlock);
    await expect(openItems(block, { ...stated, bytes: log.length + 1 })).rejects.toThrow(BadBlock);
  });

  it('is not used if it is no shorter', async () => {
    const noise = randomBytes(1_000);
    expect(await encodeBlock(noise, 0)).toBeNull();
    expect(await encodeBlock(Buffer.alloc(0), 0)).toBeNull();
  });

  it("is rejected if it has another version, exceeds the receiver's bound, or is truncated", async () => {
    const block = (await encodeBlock(log, crc32c(0, log)))!;
    const reasonOf = async (bytes: Buffer, maxBytes = log.length): Promise<string> => {
      try {
        const decoder = await openBlock(bytes, maxBytes);
        while (!decoder.step(100));
        return 'decoded';
      } catch (error) {
        if (error instanceof BadBlock) return error.reason;
        throw error;
      }
    };
    const newer = Buffer.from(block);
    newer[0] = columnsVersion + 1;
    expect(await reasonOf(newer)).toBe('unknown-version');
    expect(await reasonOf(block, log.length - 1)).toBe('too-large');
    expect(await reasonOf(Buffer.alloc(0))).toBe('damaged');
    for (const end of [1, 12, 13, 14, 100, block.length - 1])
      expect(await reasonOf(block.subarray(0, end)), `${end} bytes`).toBe('damaged');
    expect(await reasonOf(Buffer.concat([block, Buffer.from('x')]))).toBe('damaged');
    expect(await reasonOf(Buffer.concat([block, zstdCompressSync(Buffer.from('x'))]))).toBe('damaged');
  });
});

describe('a hostile block', { timeout }, () => {
  const packed = Buffer.from(packRange(log));

  /** Decodes, or throws `BadBlock`; any other outcome fails the test. */
  function outcome(bytes: Uint8Array, length: number): 'refused' | Buffer {
    try {
      const decoder = new RangeDecoder(bytes, length);
      // Each item takes a byte of the order, or 16 bytes of the range.
      let steps = bytes.length + length / 16 + 2;
      while (!decoder.step(1)) if (--steps < 0) throw new Error('does not end');
      return decoder.bytes;
    } catch (error) {
      if (error instanceof BadBlock) return 'refused';
      throw error;
    }
  }

  it('with a changed byte is rejected, or decodes to exactly the stated length', () => {
    const small = packRange(log.subarray(0, 3_000));
    const change = fc.record({ at: fc.nat(small.length - 1), to: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 127, 128, 255)) });
    let rejected = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.constantFrom(0, 0, 0, 1, 16, -1), (changes, more) => {
        const bytes = Uint8Array.from(small);
        for (const { at, to } of changes) bytes[at] = to;
        const result = outcome(bytes, 3_000 + more);
        if (result === 'refused') rejected++;
        else expect(result.length).toBe(3_000 + more);
      }),
      { numRuns: 4 * numRuns },
    );
    expect(rejected).toBeGreaterThan(0);
  });

  it('with removed, repeated or random parts is rejected', () => {
    fc.assert(
      fc.property(fc.nat(packed.length), fc.nat(packed.length), fc.uint8Array({ maxLength: 64 }), (a, b, noise) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        for (const bytes of [
          Buffer.concat([packed.subarray(0, from), packed.subarray(to)]),
          Buffer.concat([packed.subarray(0, to), packed.subarray(from)]),
          Buffer.concat([packed.subarray(0, from), noise, packed.subarray(to)]),
        ]) {
          const result = outcome(bytes, log.length);
          if (result !== 'refused' && !bytes.equals(packed)) expect(result.equals(log)).toBe(false);
        }
      }),
      { numRuns },
    );
  });

  it('that claims many templates, records or values needs their bytes', () => {
    const claim = (parts: readonly number[], body: readonly number[]): Buffer => {
      const bytes = Buffer.alloc(24 + body.length);
      parts.forEach((part, i) => bytes.writeUInt32LE(part, 4 * i));
      bytes.set(body, 24);
      return bytes;
    };
    const many = [0xff, 0xff, 0xff, 0x7f];
    expect(outcome(claim([4, 0, 0, 0, 0, 0], many), 1000)).toBe('refused'); // templates
    expect(outcome(claim([4, 0, 0, 0xffff_ffff, 0, 0], many), 1000)).toBe('refused'); // wall times
    expect(outcome(claim([1, 4, 0, 0, 0, 0], [0, ...many]), 1000)).toBe('refused'); // a run of nothing
    // A frequent template without holes takes no bytes, but must not fill more than the range.
    expect(outcome(claim([8, 8, 0, 0, 0, 0], [1, 1, ...many, 0, 7, 0, 2, 0, 2, ...many]), 1000)).toBe('refused');
  });

  it('never decompresses to more than it states', async () => {
    const block = (await encodeBlock(log, crc32c(0, log)))!;
    const bomb = Buffer.concat([block.subarray(0, 13), zstdCompressSync(Buffer.alloc(64 * 1024 * 1024), withChecksum)]);
    await expect(openBlock(bomb, log.length)).rejects.toThrow(BadBlock);
    const claims = Buffer.from(block);
    claims.writeUInt32LE(0xffff_ffff, 9);
    await expect(openBlock(claims, log.length)).rejects.toThrow(BadBlock);
    expect(zstdDecompressSync(block.subarray(13)).length).toBe(readPrefix(block, log.length).packedBytes);
  });
});
