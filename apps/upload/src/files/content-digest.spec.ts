import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ContentDigestCheck, type ContentDigests, parseContentDigest } from './content-digest.ts';

function check(digests: ContentDigests, pieces: readonly Uint8Array[]): number {
  const checking = new ContentDigestCheck(digests);
  for (const piece of pieces) checking.add(piece);
  return checking.finish();
}

describe('Content-Digest', () => {
  // The check value for CRC-32C: the checksum of "123456789" is e3069283.
  const body = [Buffer.from('1234'), Buffer.from('56789')];

  it('is verified over all pieces, and returns the CRC-32C', () => {
    const crc = Buffer.from('e3069283', 'hex').toString('base64');
    const sha256 = createHash('sha256').update('123456789').digest('base64');
    for (const field of [
      `crc32c=:${crc}:`,
      `sha-256=:${sha256}:`,
      `sha-256=:${sha256}:,crc32c=:${crc}:`,
      ` unixsum=:AA==: ,  crc32c=:${crc}: `,
    ]) {
      expect(check(parseContentDigest(field), body)).toBe(0xe3069283);
    }
  });

  it('fails if one of several is wrong', () => {
    const crc = Buffer.from('e3069283', 'hex').toString('base64');
    const digests = parseContentDigest(`crc32c=:${crc}:, sha-256=:${createHash('sha256').update('other').digest('base64')}:`);
    expect(() => check(digests, body)).toThrow(expect.objectContaining({ code: 'digest-mismatch' }));
  });

  it.each([undefined, '', ' ', 'md5=:AAAA:'])('is missing: %j', (field) => {
    expect(() => parseContentDigest(field)).toThrow(expect.objectContaining({ code: 'digest-missing' }));
  });

  it.each(['crc32c', 'crc32c=AAAAAA==', 'crc32c=:A A:', 'crc32c=:AAAA:', 'sha-256=:AAAAAA==:', 'crc32c=:AAAAAA==:,'])(
    'is malformed: %j',
    (field) => {
      expect(() => parseContentDigest(field)).toThrow(expect.objectContaining({ code: 'bad-request' }));
    },
  );
});
