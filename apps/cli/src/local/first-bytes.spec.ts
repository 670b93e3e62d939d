import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { judgeFirstBytes } from './first-bytes.ts';

const log = writeEventFile([{ step: 1, scalars: { loss: 0.5 } }]);
const detail = (bytes: Uint8Array | string): string => {
  const judged = judgeFirstBytes(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  return 'detail' in judged ? `${judged.kind}: ${judged.detail}` : judged.kind;
};

describe('the first bytes of a file', () => {
  it('are those of an event file if its first length has a valid checksum, whatever follows', () => {
    expect(detail(log)).toBe('event-file');
    expect(detail(log.subarray(0, 12))).toBe('event-file');
    expect(detail(Buffer.concat([log.subarray(0, 12), Buffer.alloc(100, 0xff)]))).toBe('event-file');
    for (let bit = 0; bit < 96; bit++) {
      const flipped = Buffer.from(log);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(detail(flipped), `bit ${bit}`).toMatch(/^other/);
    }
  });

  it('may be incomplete', () => {
    expect(detail('')).toBe('empty');
    for (let length = 1; length < 12; length++) expect(detail(log.subarray(0, length)), `${length} bytes`).toMatch(/^not-yet: /);
    expect(detail(Buffer.alloc(4096))).toMatch(/^not-yet: begins with zeros/);
  });

  it('name another type of file', () => {
    expect(detail(gzipSync(log))).toContain('gzip');
    for (const level of [1, 6, 9]) expect(detail(deflateSync(log, { level }))).toContain('zlib');
    expect(detail(zstdCompressSync(log))).toContain('zstd');
    expect(detail('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n')).toContain('git lfs pull');
    expect(detail('/annex/objects/MD5E-s1--0')).toContain('git annex get');
    expect(detail('\n<!DOCTYPE html><html>')).toContain('HTML page');
    expect(detail('<HTML><head>')).toContain('HTML page');
    expect(detail('<?xml version="1.0"?><Error><Code>AccessDenied</Code>')).toContain('XML document');
    expect(detail(Buffer.from([0, 5, 0x16, 7, 0, 2, 0, 0]))).toContain('AppleDouble');
    expect(detail('# Notes on tfevents\n')).toBe('other: is not an event file: it does not begin with a record; not sent');
    expect(detail('-----BEGIN OPENSSH PRIVATE KEY-----\n')).toMatch(/^other: /);
  });
});
