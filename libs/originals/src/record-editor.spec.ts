import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { RecordReader } from '#records';
import { frameRecord } from '#records/testing';
import { type RecordChange, RecordEditor } from './record-editor.ts';

/**
 * Records are strings here. Records that start with `x` lose the rest of their string, and records
 * with `?` cannot be read.
 */
const change: RecordChange = {
  remove: (buf, start, end) => {
    if (buf[start] === 0x3f) return 'cannot be read';
    return buf[start] === 0x78 && buf.subarray(start + 1, end).some((byte) => byte !== 0x2e)
      ? Buffer.from('x'.padEnd(end - start, '.'))
      : null;
  },
  names: [Buffer.from('name')],
  unread: new Set(),
  unverified: 0,
};

function edit(bytes: Uint8Array, cuts: readonly number[], recordsEnd = bytes.length, edited = change): { out: Buffer; found: boolean } {
  const editor = new RecordEditor(edited, recordsEnd);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const given = Uint8Array.from(bytes);
  const out = places.slice(1).map((end, i) => editor.push(given.subarray(places[i], end)));
  expect(Buffer.from(given).equals(Buffer.from(bytes))).toBe(true); // the pushed buffer belongs to the caller
  return { out: Buffer.concat(out), found: editor.found };
}

const cuts = fc.array(fc.nat(5_000), { maxLength: 12 });
const data = fc.constantFrom('', 'a', 'xa', 'x', 'xyz', 'kept', '?secret', '?a name', 'x'.repeat(300));

/** Flips a bit of the data or of its checksum, which damages the record. */
const damage = (record: Uint8Array): Uint8Array => {
  const damaged = Uint8Array.from(record);
  damaged[damaged.length - 1]! ^= 4;
  return damaged;
};

describe('editing records', () => {
  it('changes the matching records in place, however the bytes are cut', () => {
    const record = fc.record({ data, isDamaged: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 12 }),
        fc.constantFrom('', 'behind the end', 'a name behind'),
        cuts,
        (records, behind, at) => {
          const framed = records.map(({ data: text, isDamaged }) =>
            isDamaged ? damage(frameRecord(Buffer.from(text))) : frameRecord(Buffer.from(text)),
          );
          const whole = Buffer.concat(framed);
          const bytes = Buffer.concat([whole, Buffer.from(behind)]);
          const { out, found } = edit(bytes, at, whole.length);
          expect(out.length).toBe(bytes.length);
          const read: string[] = [];
          const reader = new RecordReader();
          reader.push(out.subarray(0, whole.length), (buf, start, end) => void read.push(Buffer.from(buf.subarray(start, end)).toString()));
          const good = records.filter(({ isDamaged }) => !isDamaged).map(({ data: text }) => text);
          expect(read).toEqual(
            good.map((text) =>
              text.startsWith('?') ? '\0'.repeat(text.length) : text.startsWith('x') ? 'x'.padEnd(text.length, '.') : text,
            ),
          );
          const damaged = records.filter(({ isDamaged }) => isDamaged);
          expect(reader.takeProblems().map(({ reason }) => reason)).toEqual(damaged.map(() => 'data-checksum'));
          expect(out.includes('name') || out.includes('behind')).toBe(false);
          const unreadable = [...damaged.map(({ data: text }) => text), ...good.filter((text) => text.startsWith('?')), behind];
          // Unreadable records also count, if they contain a name. Two adjacent pieces together
          // could contain a name, but these strings do not.
          expect(found).toBe(
            good.some((text) => text.startsWith('x') && text.length > 1) || unreadable.some((text) => text.includes('name')),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('changes a record of exactly the limit, in pieces that are cut in its header and before its last byte', () => {
    const longest = Buffer.alloc(limits.maxRecordBytes, 'y');
    longest[0] = 0x78;
    const allX: RecordChange = { ...change, remove: (buf, start, end) => (buf[start] === 0x78 ? Buffer.alloc(end - start, 'x') : null) };
    const after = frameRecord(Buffer.from('kept'));
    const bytes = Buffer.concat([frameRecord(longest), after]);
    const editor = new RecordEditor(allX, bytes.length);
    const places = [0, 7, limits.maxRecordBytes + 15, bytes.length];
    const edited = Buffer.concat(places.slice(1).map((end, i) => editor.push(bytes.subarray(places[i], end))));
    expect(edited.length).toBe(bytes.length);
    expect(edited.subarray(12, 12 + longest.length).equals(Buffer.alloc(longest.length, 'x'))).toBe(true);
    expect(edited.subarray(16 + longest.length).equals(Buffer.from(after))).toBe(true);
  });

  it('finds a name that is split over pieces, in a record that is too large to parse', () => {
    const header = frameRecord(new Uint8Array(), { length: BigInt(limits.maxRecordBytes + 1) }).subarray(0, 12);
    const rest = Buffer.alloc(limits.maxRecordBytes + 1 + 4, 1);
    rest.write('name', 70_000);
    const after = frameRecord(Buffer.from('kept'));
    const bytes = Buffer.concat([header, rest, after]);
    const editor = new RecordEditor(change, bytes.length);
    const out = [bytes.subarray(0, 12 + 70_002), bytes.subarray(12 + 70_002)].map((piece) => editor.push(piece));
    expect(editor.found).toBe(true);
    const edited = Buffer.concat(out);
    expect(edited.subarray(0, 12).equals(Buffer.from(header))).toBe(true);
    expect(edited.subarray(12, 12 + rest.length).every((byte) => byte === 0)).toBe(true);
    expect(edited.subarray(12 + rest.length).equals(Buffer.from(after))).toBe(true);
  });

  it('does not parse the records that are marked unread', () => {
    const bytes = frameRecord(Buffer.from('xyz'));
    const { out, found } = edit(bytes, [], bytes.length, { ...change, unread: new Set([0]) });
    expect([out.subarray(12, 15), found]).toEqual([Buffer.alloc(3), false]);
  });
});
