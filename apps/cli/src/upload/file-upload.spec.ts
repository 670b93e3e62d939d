import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileIdOf } from '#model/testing';
import { digestBlocks } from '../local/block-digests.ts';
import { crc32c } from '../local/crc32c.ts';
import { FileUpload } from './file-upload.ts';

const found = (bytes: number) => ({ path: '/logs/a/tfevents', run: 'a', name: 'tfevents', bytes, mtimeMs: 1, identity: '1:1' });
const remote = (offset: number, crc = 0) => ({ fileId: fileIdOf('1'), version: 1, offset, crc32c: crc, created: false });

describe('FileUpload', () => {
  it('sends every byte exactly once, without overlap, with the right checksum, in any order of responses', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.nat(100),
        fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 40 })), { maxLength: 4 }),
        fc.integer({ min: 1, max: 64 }),
        fc.infiniteStream(fc.nat()),
        (bytes, rawOffset, rawKept, maxBytes, choices) => {
          const offset = Math.min(rawOffset, bytes.length);
          let end = offset;
          const kept = rawKept
            .map(([start, length]) => ({ start, end: Math.min(bytes.length, start + length) }))
            .sort((a, b) => a.start - b.start)
            .filter((range) => range.start > offset && range.start >= end && range.end > range.start && (end = range.end) > 0);
          const file = new FileUpload(found(bytes.length));
          file.resume(remote(offset, crc32c(bytes.subarray(0, offset))), { offset, kept, window: 1000 });
          const sent = new Uint8Array(bytes.length);
          const open = [];
          while (!file.allTaken || open.length > 0) {
            const range = file.take(maxBytes);
            if (range && (choices.next().value ?? 0) % 5 === 1) {
              file.giveBack(range);
              continue;
            }
            if (range) {
              if (range.send) for (let i = range.start; i < range.end; i++) sent[i] = (sent[i] ?? 0) + 1;
              open.push(range);
            }
            const pick = (choices.next().value ?? 0) % (open.length + 1);
            if (pick < open.length || !range) {
              const [responded] = open.splice(Math.min(pick, open.length - 1), 1);
              if (responded) file.done(responded, digestBlocks(bytes.subarray(responded.start, responded.end), responded.start));
            }
          }
          const wanted = bytes.map((_, i) => (i < offset || kept.some((range) => range.start <= i && i < range.end) ? 0 : 1));
          expect(sent).toEqual(wanted);
          expect(file.checkedBytes).toBe(bytes.length);
          expect(file.crc).toBe(crc32c(bytes));
          expect(file.unverified).toBe(kept.length > 0);
        },
      ),
    );
  });

  it('starts no range beyond the window until the durable offset moves', () => {
    const file = new FileUpload(found(100));
    file.resume(remote(0), { offset: 0, kept: [], window: 20 });
    const first = file.take(5);
    file.done(first!, []);
    expect([file.take(5), file.take(10), file.take(10)]).toEqual([
      { start: 5, end: 10, send: true },
      { start: 10, end: 20, send: true },
      null,
    ]);
    file.promise(10);
    expect(file.take(10)).toEqual({ start: 20, end: 30, send: true });
  });

  it('starts no other range until the first one is acknowledged, in any pieces', () => {
    const file = new FileUpload(found(100));
    for (const offset of [0, 30]) {
      file.resume(remote(offset), null);
      const first = file.take(10);
      expect(file.take(10)).toBeNull();
      file.giveBack(first!);
      const piece = file.take(5);
      expect(piece).toEqual({ start: offset, end: offset + 5, send: true });
      expect(file.take(5)).toBeNull();
      file.done(piece!, []);
      expect([file.take(10)?.start, file.take(10)?.start]).toEqual([offset + 5, offset + 10]);
    }
  });

  it('never takes back an acknowledged offset', () => {
    const file = new FileUpload(found(100));
    file.resume(remote(0), null);
    file.promise(50);
    file.promise(40);
    expect(file.acknowledged).toBe(50);
  });

  it('stops sending ranges once the server contradicts', () => {
    const file = new FileUpload(found(100));
    file.resume(remote(0), null);
    file.take(10);
    file.contradicted();
    expect(file.take(10)).toBeNull();
    file.resume(remote(30), null);
    expect(file.take(10)).toEqual({ start: 30, end: 40, send: true });
  });

  it('counts a contradiction of several ranges in flight once, and forgets it when the server has more than before', () => {
    const file = new FileUpload(found(100));
    const rejected = () => {
      for (let inFlight = 0; inFlight < 8; inFlight++) file.contradicted();
      file.askAgain();
    };
    file.resume(remote(0), null);
    for (let round = 0; round < 3; round++) rejected();
    expect(file.hopeless).toBe(false);
    file.heard(remote(1));
    for (let round = 0; round < 3; round++) rejected();
    expect(file.hopeless).toBe(false);
    file.heard(remote(0));
    rejected();
    expect(file.hopeless).toBe(true);
  });
});
