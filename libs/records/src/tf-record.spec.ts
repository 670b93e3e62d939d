import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileProblem, limits } from '#model';
import { type IsEvent, RecordReader } from './index.ts';
import { frameRecord, frameRecords } from './testing/index.ts';

const data = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 12 });
const cuts = fc.array(fc.nat(1000), { maxLength: 12 });
const aThird = Buffer.from('a third record');

describe('RecordReader', () => {
  it('returns the same records however the bytes are cut (E.5)', () => {
    fc.assert(
      fc.property(data, cuts, (records, places) => {
        const file = frameRecords(records);
        const read = readAll(pieces(file, places));
        expect(read.data).toEqual(records.map(hex));
        expect(read.offsets).toEqual(offsetsOf(records));
        expect(read.reader).toMatchObject({ offset: file.length, needsOffset: file.length + 12, records: records.length, ended: null });
        expect(read.problems).toEqual([]);
      }),
    );
  });

  it('returns the complete records of a file that is cut at any byte, and the others once the rest arrives (E.2)', () => {
    const records = Array.from({ length: 10 }, (_, i) => Buffer.alloc(5 * i, i));
    const file = frameRecords(records);
    const ends = [...offsetsOf(records).slice(1), file.length];
    for (let cut = 0; cut <= file.length; cut++) {
      const complete = ends.filter((end) => end <= cut).length;
      const { data: before, reader, visit } = readAll([file.subarray(0, cut)]);
      expect(before).toEqual(records.slice(0, complete).map(hex));
      expect(reader.offset).toBe(ends[complete - 1] ?? 0);
      const headerThere = cut - reader.offset >= 12;
      expect(reader.needsOffset).toBe(headerThere ? ends[complete] : reader.offset + 12);
      expect(reader.takeProblems()).toEqual([]);
      reader.push(file.subarray(cut), visit);
      expect(before).toEqual(records.map(hex));
    }
  });

  it('continues from the offset of an earlier reader', () => {
    fc.assert(
      fc.property(data, fc.nat(1000), (records, place) => {
        const file = frameRecords(records);
        const cut = place % (file.length + 1);
        const first = readAll([file.subarray(0, cut)]);
        const second = readAll([file.subarray(first.reader.offset)], first.reader.offset);
        expect([...first.data, ...second.data]).toEqual(records.map(hex));
        expect([...first.offsets, ...second.offsets]).toEqual(offsetsOf(records));
      }),
    );
  });

  it('stops where the visitor stops it, and continues from there', () => {
    fc.assert(
      fc.property(data, cuts, (records, places) => {
        const reader = new RecordReader();
        const seen: string[] = [];
        for (const piece of pieces(frameRecords(records), places)) {
          for (let at = 0; at < piece.length;) {
            const before = seen.length;
            at = reader.push(piece, (buf, start, end) => seen.push(hex(buf.subarray(start, end))) > 0, at);
            expect(seen.length - before).toBeLessThanOrEqual(1);
          }
        }
        expect(seen).toEqual(records.map(hex));
      }),
    );
  });

  it('keeps an assembled record valid after later pushes', () => {
    const file = frameRecords([Buffer.alloc(100, 1), Buffer.alloc(100, 2), aThird]);
    const kept: Uint8Array[] = [];
    const reader = new RecordReader();
    for (const piece of pieces(file, [50, 150, 200])) reader.push(piece, (buf, start, end) => void kept.push(buf.subarray(start, end)));
    expect(kept.map(hex)).toEqual([Buffer.alloc(100, 1), Buffer.alloc(100, 2), aThird].map(hex));
  });

  it('reads records with wrong data checksums if all so far have them and are events, whatever the cuts and wherever reading resumes', () => {
    // A string represents an event unless it starts with 0.
    const isEvent: IsEvent = (buf, start, end) => end > start && buf[start] !== 0x30;
    const record = fc.record({ text: fc.constantFrom('0', 'a', 'bcd', 'event', ''), isGood: fc.boolean() });
    const mostlyBad = fc.array(
      fc.oneof({ weight: 4, arbitrary: record.map((one) => ({ ...one, text: 'event', isGood: false })) }, record),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(mostlyBad, cuts, fc.nat(10), (records, places, stopAt) => {
        const framed = records.map(({ text, isGood }) => {
          const bytes = Uint8Array.from(frameRecord(Buffer.from(text)));
          if (!isGood) bytes[bytes.length - 2]! ^= 1;
          return bytes;
        });
        // The rule taken literally: the first records, at least two, that are all events with a
        // wrong checksum.
        const firstOther = records.findIndex(({ text, isGood }) => isGood || text === '' || text.startsWith('0'));
        const run = firstOther < 0 ? records.length : firstOther;
        const unverified = run < 2 ? 0 : run;
        const isHeld = run === 1 && records.length === 1;
        const expected = records.map(({ text, isGood }, i) => (isGood || i < unverified ? text : null)).filter((text) => text !== null);
        const damaged = isHeld ? [] : records.flatMap(({ isGood }, i) => (isGood || i < unverified ? [] : ['data-checksum']));

        const file = Buffer.concat(framed);
        const seen: string[] = [];
        const problems: FileProblem[] = [];
        let [records_, unverified_, offset] = [0, 0, 0];
        // A new reader continues after every few visits, as in transactions.
        for (let again = true; again;) {
          const reader = new RecordReader({ offset, unverified: records_ > 0 && records_ === unverified_, isEvent });
          let visits = 0;
          again = false;
          for (const piece of pieces(file.subarray(offset), places)) {
            const taken = reader.push(piece, (buf, start, end) => {
              seen.push(Buffer.from(buf.subarray(start, end)).toString());
              return ++visits > stopAt;
            });
            again = visits > stopAt;
            if (taken < piece.length || again) break;
          }
          problems.push(...reader.takeProblems());
          [records_, unverified_, offset] = [records_ + reader.records, unverified_ + reader.unverified, reader.offset];
        }
        expect(seen).toEqual(expected);
        expect([records_, unverified_, offset]).toEqual([isHeld ? 0 : records.length, unverified, isHeld ? 0 : file.length]);
        expect(problems.map(({ reason }) => reason)).toEqual([...(unverified > 0 ? ['unverified-records'] : []), ...damaged]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('skips exactly the record whose data checksum is wrong (E.4, E.5, E.6)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(479),
        cuts,
        (records, which, bit, places) => {
          const bad = which % records.length;
          const file = Buffer.from(frameRecords(records));
          const at = offsetsOf(records)[bad]!;
          file[at + 12 + (Math.floor(bit / 8) % records[bad]!.length)]! ^= 1 << (bit % 8);
          const read = readAll(pieces(file, places));
          expect(read.data).toEqual(records.filter((_, i) => i !== bad).map(hex));
          expect(read.problems).toMatchObject([{ offset: at, bytes: records[bad]!.length + 16, reason: 'data-checksum', endsFile: false }]);
          expect(read.reader).toMatchObject({ records: records.length, offset: file.length });
        },
      ),
    );
  });

  it('ends the file at a wrong length checksum and reports what it found (E.3)', () => {
    fc.assert(
      fc.property(cuts, (places) => {
        const first = frameRecord(Buffer.from('first'));
        const header = Buffer.from('1800000000000000' + '997f4b55' + '00'.repeat(40), 'hex');
        const read = readAll(pieces(Buffer.concat([first, header, first]), places));
        expect(read.data).toEqual([hex(Buffer.from('first'))]);
        expect(read.problems).toMatchObject([{ offset: first.length, bytes: 0, reason: 'length-checksum', endsFile: true }]);
        // Protocol reference E.3.
        expect(read.reader.ended!.detail).toContain('0x554b7f99 instead of 0x224b7fa3');
        expect(read.reader.offset).toBe(first.length);
      }),
    );
  });

  it('formats a checksum with all of its eight digits (E.1)', () => {
    const header = Buffer.from('1800000000000000' + 'ab000000', 'hex');
    expect(readAll([Buffer.concat([header, new Uint8Array(40)])]).reader.ended!.detail).toContain('0x000000ab instead of 0x224b7fa3');
  });

  it.each([2n ** 30n + 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])(
    'rejects a length of %s with a valid checksum',
    (length) => {
      const read = readAll([frameRecord(aThird), frameRecord(new Uint8Array(8), { length })]);
      expect(read.data).toEqual([hex(aThird)]);
      expect(read.problems).toMatchObject([{ offset: 30, reason: 'length-too-large', endsFile: true }]);
      expect(read.problems[0]!.detail).toContain(`${length} bytes`);
    },
  );

  it('skips a record above the limit unread, from any position in it, and reads on behind it', () => {
    const length = limits.maxRecordBytes + 1;
    const header = frameRecord(new Uint8Array(0), { length: BigInt(length) }).subarray(0, 12);
    const reader = new RecordReader();
    const seen: string[] = [];
    const visit = (buf: Uint8Array, start: number, end: number, offset: number) =>
      void seen.push(`${offset} ${hex(buf.subarray(start, end))}`);
    const zeros = new Uint8Array(1 << 20);
    reader.push(frameRecord(aThird), visit);
    reader.push(header, visit);
    reader.push(zeros, visit);
    expect(reader).toMatchObject({ offset: 30, needsOffset: 30 + length + 16, records: 1 });
    expect(reader.takeProblems()).toEqual([]);

    // The worker dies here; the next worker starts at the record's offset.
    const next = new RecordReader({ offset: reader.offset });
    next.push(header, visit);
    for (let left = length + 4; left > 0; left -= zeros.length) next.push(zeros.subarray(0, Math.min(left, zeros.length)), visit);
    next.push(frameRecord(aThird), visit);
    expect(next.takeProblems()).toMatchObject([{ offset: 30, bytes: length + 16, reason: 'record-too-large', endsFile: false }]);
    expect(seen).toEqual([`0 ${hex(aThird)}`, `${30 + length + 16} ${hex(aThird)}`]);
    expect(next).toMatchObject({ offset: 60 + length + 16, records: 2, ended: null });
  });

  describe('at the limit of a record', () => {
    const max = limits.maxRecordBytes;
    const longest = frameRecord(Buffer.alloc(max, 0xa5));
    const third = frameRecord(aThird);
    const file = Buffer.concat([longest, third]);

    it.each<[string, number[]]>([
      ['whole', []],
      ['in two pushes, cut in the data', [max / 2]],
      ['in pieces, the first ending in the header', [5, 12, 13, longest.length - 4]],
    ])('visits a record of exactly the limit: %s', (_, places) => {
      const reader = new RecordReader();
      const seen: unknown[] = [];
      for (const piece of pieces(file, places)) {
        reader.push(piece, (buf, start, end, offset) => {
          seen.push([offset, end - start, buf[start], buf[end - 1]]);
          // A complete record is visited in place, without a copy
          if (places.length === 0) expect(buf === piece).toBe(true);
        });
      }
      expect(seen).toEqual([
        [0, max, 0xa5, 0xa5],
        [longest.length, aThird.length, aThird[0], aThird.at(-1)],
      ]);
      expect(reader.takeProblems()).toEqual([]);
      expect(reader).toMatchObject({ offset: file.length, records: 2, ended: null });
    });

    it.each<[string, number[]]>([
      ['whole', []],
      ['in two pushes, cut before the last byte', [max + 16]],
    ])('skips a record of one byte more: %s', (_, places) => {
      const tooLong = frameRecord(Buffer.alloc(max + 1));
      const read = readAll(pieces(Buffer.concat([tooLong, third]), places));
      expect(read.data).toEqual([hex(aThird)]);
      expect(read.problems).toMatchObject([{ offset: 0, bytes: tooLong.length, reason: 'record-too-large', endsFile: false }]);
    });
  });

  it('skips a record of the largest possible length, and reads the next one', () => {
    const length = limits.maxClaimedRecordBytes;
    const header = frameRecord(new Uint8Array(0), { length: BigInt(length) }).subarray(0, 12);
    const reader = new RecordReader();
    const seen: number[] = [];
    const visit = (_: Uint8Array, start: number, end: number, offset: number) => void seen.push(offset, end - start);
    reader.push(header, visit);
    expect(reader).toMatchObject({ ended: null, needsOffset: length + 16 });
    const zeros = new Uint8Array(1 << 20);
    for (let left = length + 4; left > 0; left -= zeros.length) reader.push(zeros.subarray(0, Math.min(left, zeros.length)), visit);
    reader.push(frameRecord(aThird), visit);
    expect(reader.takeProblems()).toMatchObject([{ offset: 0, bytes: length + 16, reason: 'record-too-large', endsFile: false }]);
    expect(seen).toEqual([length + 16, aThird.length]);
  });

  it('allocates no more memory than the bytes it received, whatever length is claimed', () => {
    const reader = new RecordReader();
    const before = process.memoryUsage().arrayBuffers;
    const header = frameRecord(new Uint8Array(0), { length: BigInt(limits.maxRecordBytes) }).subarray(0, 12);
    reader.push(header, () => undefined);
    reader.push(new Uint8Array(1000), () => undefined);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
  });
});

function readAll(parts: Uint8Array[], offset = 0) {
  const reader = new RecordReader({ offset });
  const seen: string[] = [];
  const offsets: number[] = [];
  const problems: FileProblem[] = [];
  const visit = (buf: Uint8Array, start: number, end: number, at: number) => {
    seen.push(hex(buf.subarray(start, end)));
    offsets.push(at);
  };
  for (const part of parts) {
    reader.push(part, visit);
    problems.push(...reader.takeProblems());
  }
  return { reader, data: seen, offsets, problems, visit };
}

/** Cuts `file` at these positions (modulo its length). */
function pieces(file: Uint8Array, places: number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (file.length + 1)), file.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => file.subarray(at[i], end));
}

function offsetsOf(records: Uint8Array[]): number[] {
  let offset = 0;
  return records.map((record) => (offset += record.length + 16) - record.length - 16);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
