import { describe, expect, it } from 'vitest';
import { type FileBatch, limits } from '#model';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import { frameRecord } from '#records/testing';

/**
 * Malicious event files (reliability tests 43, 44, 45 and 48): rejections have types, the rest is
 * read, and memory does not grow.
 */

const maxGrowthBytes = 16 * 1024 * 1024;
const good = frameRecord(Buffer.from(event(pointValue('good'))));

describe('lengths', () => {
  const lengths = [
    2n ** 30n + 1n,
    2n ** 31n - 1n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
  ];

  it.each(lengths)('%s with a valid checksum: rejected without reserving memory', (length) => {
    const { batch, growth } = readMeasured(Buffer.concat([good, frameRecord(Buffer.alloc(100), { length }), good]));
    expect(batch.problems).toMatchObject([{ offset: good.length, reason: 'length-too-large', endsFile: true }]);
    expect(batch.series).toMatchObject([{ meta: { tag: 'good' } }]);
    expect(growth).toBeLessThan(maxGrowthBytes);
  });

  it.each([limits.maxRecordBytes, limits.maxRecordBytes + 1, limits.maxClaimedRecordBytes])(
    '%s, which is plausible: waits for the bytes without reserving memory',
    (length) => {
      const { batch, growth, reader } = readMeasured(Buffer.concat([good, frameRecord(Buffer.alloc(100), { length: BigInt(length) })]));
      expect(batch.problems).toEqual([]);
      expect(reader).toMatchObject({ offset: good.length, needsOffset: good.length + length + 16, ended: null });
      expect(growth).toBeLessThan(maxGrowthBytes);
    },
  );
});

describe('protobuf', () => {
  const nested = (levels: number) => {
    let bytes: Uint8Array = new Uint8Array(0);
    for (let i = 0; i < levels; i++) bytes = Buffer.concat([Uint8Array.of(0x0a), varint(bytes.length), bytes]);
    return bytes;
  };

  it.each<[string, Uint8Array, string]>([
    ['200,000 nested groups', Buffer.concat([Buffer.alloc(200_000, 0x5b), Buffer.alloc(200_000, 0x5c)]), 'nested-too-deeply'],
    ['200,000 groups that never end', Buffer.alloc(200_000, 0x5b), 'nested-too-deeply'],
    ['groups that end in the wrong order', Uint8Array.of(0x5b, 0x63, 0x5c, 0x64), 'not-an-event'],
    [
      'a packed length of 2 GiB',
      event(part(1, Buffer.concat([part(1, Buffer.from('t')), part(8, Uint8Array.of(0x2a, 0xff, 0xff, 0xff, 0xff, 0x07))]))),
      'not-an-event',
    ],
    ['a length of 2^63', Uint8Array.of(0x2a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), 'not-an-event'],
    ['an unterminated varint', Buffer.concat([Uint8Array.of(0x10), Buffer.alloc(100_000, 0xff)]), 'not-an-event'],
    ['field number 0', Uint8Array.of(0x02, 0), 'not-an-event'],
    ['a million empty values', part(5, Buffer.alloc(2_000_000, Uint8Array.of(0x0a, 0))), 'too-many-values'],
    ['a tag that is not UTF-8', event(pointValue(Uint8Array.of(0xc3, 0x28))), 'invalid-utf8'],
  ])('%s: rejected, and the next record is read', (_, data, reason) => {
    const { batch, growth } = readMeasured(Buffer.concat([good, frameRecord(data), good]));
    expect(batch.problems).toMatchObject([{ offset: good.length, bytes: data.length + 16, reason, endsFile: false }]);
    expect(batch.series).toHaveLength(1);
    expect(batch.series[0]!.scalars!.steps).toHaveLength(2);
    expect(growth).toBeLessThan(maxGrowthBytes);
  });

  it.each<[string, Uint8Array]>([
    // Bytes that the reader does not parse: an unknown field, a graph, plugin content.
    ['an unknown field', part(15, nested(20_000))],
    ['a graph', part(4, nested(20_000))],
    ['metadata', event(pointValue('deep', part(9, part(1, part(2, nested(20_000))))))],
  ])('20,000 nested messages in %s are ordinary bytes', (_, data) => {
    const { batch } = readMeasured(frameRecord(data));
    expect(batch).toMatchObject({ events: 1, problems: [] });
  });

  it('a million empty texts are rejected as blobs and as a tensor, the rest of the event is kept', () => {
    const texts = (count: number) =>
      Buffer.concat([
        Uint8Array.of(0x08, 7),
        part(2, part(2, Buffer.concat([Uint8Array.of(0x08), varint(count)]))),
        Buffer.alloc(2 * count, Uint8Array.of(0x42, 0)),
      ]);
    const value = (tag: string, count: number, plugin: string) =>
      part(1, Buffer.concat([part(1, Buffer.from(tag)), part(8, texts(count)), part(9, part(1, part(1, Buffer.from(plugin))))]));
    const { batch, growth } = readMeasured(
      frameRecord(event(Buffer.concat([value('blobs', 1e6, 'images'), value('text', 5e6, 'text'), pointValue('good')]))),
    );
    expect(batch.series).toMatchObject([
      { meta: { tag: 'blobs' }, blobSequences: [], invalidPoints: 1 },
      { meta: { tag: 'text' }, tensors: [], invalidPoints: 1 },
      { meta: { tag: 'good' } },
    ]);
    expect(batch.problems.map(({ reason }) => reason).sort()).toEqual(['tensor-too-large', 'too-many-blobs']);
    expect(growth).toBeLessThan(maxGrowthBytes);
  });
});

describe('names', () => {
  it.each([
    '..',
    '%2e',
    '\\',
    'C:\\',
    '#',
    'a\r\nb',
    '\u202egnp',
    '\u00e4',
    'a\u0308',
    '\x01\x1f\x7f',
    '',
    '\ufeffbom',
    '😀',
    '/'.repeat(4096),
  ])('%j is kept byte for byte', (tag) => {
    const { batch } = readMeasured(frameRecord(event(pointValue(tag))));
    expect(batch.series.map(({ meta }) => Buffer.from(meta.tag).toString('hex'))).toEqual([Buffer.from(tag).toString('hex')]);
  });

  it.each<[string, string, string]>([
    ['1 MB', 'x'.repeat(1_000_000), 'tag-too-long'],
    ['NUL', 'a\0', 'tag-has-nul'],
  ])('a tag with %s is rejected on its own', (_, tag, reason) => {
    const { batch } = readMeasured(frameRecord(event(Buffer.concat([pointValue(tag), pointValue('good')]))));
    expect(batch.series.map(({ meta }) => meta.tag)).toEqual(['good']);
    expect(batch.problems).toMatchObject([{ reason, bytes: 0 }]);
  });
});

describe('many of them', () => {
  it('a run has a maximum number of series; the others are reported', () => {
    const collector = new PointCollector();
    for (let i = 0; i < limits.maxSeriesPerRun + 10; i++) {
      const data = event(pointValue(`t${i}`));
      collector.event(data, 0, data.length, i);
    }
    const batch = collector.take();
    expect(batch.series).toHaveLength(limits.maxSeriesPerRun);
    expect(batch.problems).toHaveLength(10);
    expect(batch.problems[0]).toMatchObject({ reason: 'too-many-series' });
  });

  it('bad records cost no more than their report', () => {
    const { batch, growth } = readMeasured(Buffer.concat(Array.from({ length: 100_000 }, () => frameRecord(Uint8Array.of(0x0f)))));
    expect(batch.records).toBe(100_000);
    expect(batch.problems.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(1_700_000);
    expect(growth).toBeLessThan(maxGrowthBytes);
  });
});

/** Reads a file in pieces of 64 KiB; `growth` is the growth of live memory in bytes. */
function readMeasured(file: Uint8Array): { batch: FileBatch; growth: number; reader: RecordReader } {
  const before = memory();
  const reader = new RecordReader();
  const collector = new PointCollector();
  let growth = 0;
  for (let at = 0; at < file.length; at += 65_536) {
    reader.push(file.subarray(at, at + 65_536), (buf, start, end, offset) => collector.event(buf, start, end, offset));
    // The reader may keep received bytes, but nothing more.
    growth = Math.max(growth, memory() - before - 3 * (at + 65_536));
  }
  return { batch: collector.take({ records: reader.records, problems: reader.takeProblems() }), growth, reader };
}

function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function event(values: Uint8Array): Uint8Array {
  return part(5, values);
}

function pointValue(tag: string | Uint8Array, more: Uint8Array = new Uint8Array(0)): Uint8Array {
  return part(1, Buffer.concat([part(1, Buffer.from(tag)), Uint8Array.of(0x15, 0, 0, 0x80, 0x3f), more]));
}

function part(field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Uint8Array.of(...bytes, value);
}
