import { describe, expect, it } from 'vitest';
import { type FileBatch, limits } from '#model';
import { PointCollector } from './index.ts';
import { field, message, metadata, type MetadataSpec, summaryEvent, summaryValue, tensor, varint } from './testing/event-bytes.ts';

const simple = (number: number) => field(2, number);
const floatTensor = (bytes: number) => field(8, tensor(4n, [bytes], field(4, new Uint8Array(bytes))));
const image = (bytes: number) => field(4, message(field(4, new Uint8Array(bytes))));

function read(...events: Uint8Array[]): FileBatch {
  const collector = new PointCollector();
  for (const [i, bytes] of events.entries()) collector.event(bytes, 0, bytes.length, i);
  return collector.take();
}

const reasons = ({ problems }: FileBatch) => problems.map(({ reason }) => reason);
const tags = ({ series }: FileBatch) => series.map(({ meta }) => meta.tag);

/** Metadata of exactly this many bytes, padded with plugin content. */
function metadataOf(bytes: number): MetadataSpec {
  const around = metadata({ plugin: 'p', content: new Uint8Array(bytes - 64) }).length - (bytes - 64);
  const spec = { plugin: 'p', content: new Uint8Array(bytes - around) };
  expect(metadata(spec)).toHaveLength(bytes);
  return spec;
}

describe('values at a limit are kept, those above it are reported', () => {
  it.each([
    [limits.maxTagBytes, []],
    [limits.maxTagBytes + 1, ['tag-too-long']],
  ])('a tag of %i bytes', (bytes, expected) => {
    const tag = 'x'.repeat(bytes);
    const batch = read(summaryEvent(1n, 1, summaryValue(tag, simple(1))));
    expect([tags(batch), reasons(batch)]).toEqual([expected.length === 0 ? [tag] : [], expected]);
  });

  it.each([
    [limits.maxMetadataBytes, []],
    [limits.maxMetadataBytes + 1, ['metadata-too-large']],
  ])('metadata of %i bytes', (bytes, expected) => {
    const batch = read(summaryEvent(1n, 1, summaryValue('a', simple(1), metadataOf(bytes))));
    expect([tags(batch), reasons(batch)]).toEqual([expected.length === 0 ? ['a'] : [], expected]);
  });

  it('metadata of a run: exactly the limit, and one byte more', () => {
    // The limit applies to the stored metadata of a series: here the plugin name (one byte) and the
    // content.
    const collector = new PointCollector();
    const add = (tag: string, contentBytes: number) => {
      const event = summaryEvent(1n, 1, summaryValue(tag, floatTensor(1), { plugin: 'p', content: new Uint8Array(contentBytes) }));
      collector.event(event, 0, event.length, 0);
    };
    const each = limits.maxRunMetadataBytes / 32;
    for (let i = 0; i < 31; i++) add(`t${i}`, each - 1);
    // The last message can use up the rest of the limit.
    const last = summaryEvent(1n, 1, summaryValue('last', floatTensor(1), metadataOf(each)));
    const more = summaryEvent(1n, 1, summaryValue('more', floatTensor(1), metadataOf(each + 1)));
    collector.event(more, 0, more.length, 1);
    collector.event(last, 0, last.length, 2);
    const batch = collector.take();
    expect(tags(batch)).toHaveLength(32);
    expect(tags(batch).at(-1)).toBe('last');
    expect(reasons(batch)).toEqual(['metadata-too-large']);
  });

  it.each([
    [limits.maxTensorBytes, 1, []],
    [limits.maxTensorBytes + 1, 0, ['tensor-too-large']],
  ])('a tensor of %i bytes', (bytes, kept, expected) => {
    const batch = read(summaryEvent(1n, 1, summaryValue('t', floatTensor(bytes), { plugin: 'histograms' })));
    expect(batch.series).toMatchObject([{ invalidPoints: 1 - kept }]);
    expect(batch.series[0]!.tensors.map(({ data }) => data.length)).toEqual(kept ? [bytes] : []);
    expect(reasons(batch)).toEqual(expected);
  });

  it.each([
    [limits.maxBlobBytes, 1, []],
    [limits.maxBlobBytes + 1, 0, ['blob-too-large']],
  ])('a blob of %i bytes', (bytes, kept, expected) => {
    const batch = read(summaryEvent(1n, 1, summaryValue('b', image(bytes))));
    expect(batch.series).toMatchObject([{ invalidPoints: 1 - kept }]);
    expect(batch.series[0]!.blobSequences.map(({ blobs }) => blobs.at(-1)!.length)).toEqual(kept ? [bytes] : []);
    expect(reasons(batch)).toEqual(expected);
  });

  it.each([
    ['one value', [limits.maxValuesPerEvent], []],
    ['two values', [limits.maxValuesPerEvent - 3, 3], []],
    ['one value, one blob more', [limits.maxValuesPerEvent + 1], ['too-many-blobs']],
    ['two values, one blob more', [limits.maxValuesPerEvent - 2, 3], ['too-many-blobs']],
  ])('blobs of an event: %s', (_, counts, expected) => {
    // The first two blobs of a sequence, width and height, count.
    const sequence = (count: number) => field(8, tensor(7n, [count], Buffer.alloc(3 * count, field(8, '1'))));
    const values = counts.map((count, i) => summaryValue(`b${i}`, sequence(count), { plugin: 'images' }));
    const batch = read(summaryEvent(1n, 1, ...values));
    expect(reasons(batch)).toEqual(expected);
    const kept = batch.series.flatMap(({ blobSequences }) => blobSequences).map(({ blobs }) => blobs.length);
    expect(kept).toEqual(expected.length === 0 ? counts : counts.slice(0, -1));
  });

  it.each([
    [limits.maxNesting, []],
    [limits.maxNesting + 1, ['nested-too-deeply']],
  ])('%i nested groups', (depth, expected) => {
    const starts = Buffer.concat(Array.from({ length: depth }, () => varint((11 << 3) | 3)));
    const ends = Buffer.concat(Array.from({ length: depth }, () => varint((11 << 3) | 4)));
    const event = Buffer.concat([summaryEvent(1n, 1, summaryValue('a', simple(1))), starts, ends]);
    const batch = read(event);
    expect([tags(batch), reasons(batch)]).toEqual([expected.length === 0 ? ['a'] : [], expected]);
  });
});
