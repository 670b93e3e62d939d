import { describe, expect, it } from 'vitest';
import { fileIdOf, tenantIdOf } from '#model/testing';
import { blobKey, checkObjectName, originalBytes, originalKey, segmentKey, tensorKey } from './object-keys.ts';

describe('object keys', () => {
  const tenant = tenantIdOf('01234567-89ab-cdef-0123-456789abcdef');

  it('have shapes that every adapter accepts', () => {
    const hash = Buffer.alloc(32, 0xa5);
    const keys = [
      segmentKey({ fileId: fileIdOf('12'), offset: 2 ** 40, length: 5, crc32c: 0xff, coding: null }),
      segmentKey({ fileId: fileIdOf('12'), offset: 0, length: 5, crc32c: 0xff, coding: 'zstd' }),
      originalKey(fileIdOf('12'), 2 ** 50),
      blobKey(hash),
      tensorKey(hash),
    ];
    expect(keys.slice(0, 3)).toEqual([
      'segment/12/1099511627776-5-000000ff',
      'segment/12/0-5-000000ff-zstd',
      'original/12-1125899906842624',
    ]);
    for (const key of keys) checkObjectName(tenant, key);
  });

  it('encode how much of its file an original covers', () => {
    expect(originalBytes(originalKey(fileIdOf('9'), 123_456))).toBe(123_456);
    expect(() => originalBytes('segment/9/0-1-00000000')).toThrow(RangeError);
  });
});
