import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileBatch } from '#model';
import { PointCollector, ValueRemover } from './index.ts';
import { field, message, summaryValue, tensor } from './testing/event-bytes.ts';

/** An event's content, without the offsets of its parts. */
function read(event: Uint8Array): FileBatch {
  const collector = new PointCollector();
  collector.event(event, 0, event.length, 0);
  return collector.take();
}

const isRemoved = (tag: string, step: bigint): boolean => tag.startsWith('gone') && step < 100n;
const remover = new ValueRemover(isRemoved);

const tag = fc.constantFrom('gone', 'gone/2', 'kept', 'kept/2');
const value = fc.oneof(
  fc.record({ tag, data: fc.float({ noNaN: true }).map((number) => field(2, number)) }),
  fc.record({
    tag,
    data: fc.integer({ min: 0, max: 20_000 }).map((length) => field(8, tensor(7n, [1], field(8, new Uint8Array(length).fill(65))))),
  }),
);
const step = fc.constantFrom(0n, 7n, 99n, 100n, -5n);

/** An event with these values, in one summary field or in several: both are one summary. */
const eventOf = (at: bigint, values: readonly { tag: string; data: Uint8Array }[], parts: number): Uint8Array => {
  const written = values.map(({ tag: name, data }) => field(1, summaryValue(name, data)));
  const cut = Math.ceil(written.length / parts);
  const summaries = Array.from({ length: parts }, (_, i) => field(5, message(...written.slice(i * cut, (i + 1) * cut))));
  return message(field(1, { double: 12.5 }), field(2, at), ...summaries, field(10, message(field(1, 'writer'))));
};

describe('removing values from an event', () => {
  it('keeps the other values and the length of the event, and finds nothing the second time', () => {
    fc.assert(
      fc.property(step, fc.array(value, { maxLength: 4 }), fc.constantFrom(1, 2), (at, values, parts) => {
        const event = eventOf(at, values, parts);
        const kept = values.filter(({ tag: name }) => !isRemoved(name, at));
        const removed = remover.remove(Buffer.concat([Buffer.alloc(3), event]), 3, 3 + event.length);
        if (kept.length === values.length) {
          expect(removed).toBeNull();
          return;
        }
        const bytes = removed as Uint8Array;
        expect(bytes.length).toBe(event.length);
        expect(Buffer.from(bytes).includes('gone')).toBe(false);
        expect(read(bytes)).toEqual(read(eventOf(at, kept, 1)));
        expect(remover.remove(bytes, 0, bytes.length)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it.each(
    Array.from({ length: 300 }, (_, i) => i)
      .filter((i) => i < 3 || (i > 90 && i < 140))
      .concat([16_220, 16_250, 16_300, 16_350, 16_384, 16_400]),
  )('replaces a value of exactly the length of a text of %i bytes', (length) => {
    const event = eventOf(1n, [{ tag: 'gone', data: field(8, tensor(7n, [1], field(8, new Uint8Array(length).fill(65)))) }], 1);
    const bytes = remover.remove(event, 0, event.length) as Uint8Array;
    expect([bytes.length, read(bytes).events, read(bytes).problems]).toEqual([event.length, 1, []]);
    expect(bytes.includes(65)).toBe(false);
  });

  it('keeps the wall time of an event that becomes empty, and not its step', () => {
    const event = eventOf(99n, [{ tag: 'gone', data: field(2, 1) }], 1);
    const bytes = Buffer.from(remover.remove(event, 0, event.length) as Uint8Array);
    expect(bytes.subarray(0, 9)).toEqual(Buffer.from(field(1, { double: 12.5 })));
    expect(bytes.includes(Buffer.from(field(2, 99n)))).toBe(false);
  });

  it('removes graphs and run metadata by their tags, with the summary that they override', () => {
    const graph = message(field(2, 3n), field(5, message(field(1, summaryValue('gone', field(2, 1))))), field(4, 'graph'));
    const all = new ValueRemover((name) => name === '__run_graph__' || name === 'run');
    const withoutGraph = all.remove(graph, 0, graph.length) as Uint8Array;
    expect(read(withoutGraph).series).toEqual([]);
    expect(Buffer.from(withoutGraph).includes('graph')).toBe(false);
    // The summary does not count, because the graph comes after it; its bytes are removed anyway.
    const withoutHidden = remover.remove(graph, 0, graph.length) as Uint8Array;
    expect(Buffer.from(withoutHidden).includes('gone')).toBe(false);
    expect(read(withoutHidden)).toEqual(read(new Uint8Array(graph)));
    const metadata = message(field(8, message(field(1, 'run'), field(2, 'bytes'))));
    expect(read(all.remove(metadata, 0, metadata.length) as Uint8Array).series).toEqual([]);
    expect(remover.remove(metadata, 0, metadata.length)).toBeNull();
  });

  it('reports anything else as not an event', () => {
    for (const bytes of [new Uint8Array(5), Uint8Array.of(0x2a, 9, 1), Buffer.concat([field(5, field(1, field(1, Uint8Array.of(0xff))))])])
      expect(remover.remove(bytes, 0, bytes.length)).toBe('not-an-event');
  });
});
