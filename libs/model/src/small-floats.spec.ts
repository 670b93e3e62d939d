import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { bfloatToNumber, float8ToNumber } from './small-floats.ts';

// Digest of all values as float64, little-endian, each NaN as 0x7ff8000000000000. Made with numpy
// and ml_dtypes:
// values = np.arange(256, dtype='u1').view(ml_dtypes.NAME).astype('f8'); values[np.isnan(values)] =
// np.nan; hashlib.sha256(values.tobytes())
it.each<[string, 1 | 2, string]>([
  ['float8_e5m2', 1, '0ebeb4cd681ba45cb07e8f6b4ab91af1056631d20f320d9f24715be364b12fc9'],
  ['float8_e4m3fn', 1, '98959cdf4be234fd2c6642943d11510f6dd8cbf68b437ddcb4bf4ca7a004e444'],
  ['float8_e4m3fnuz', 1, '10ad41a5ddbd0da6168954bade20482aeedd69e0295ddef42da4703067b24be6'],
  ['float8_e4m3b11fnuz', 1, '7278e386589420fca98516eff76c113d8752c2384cad42a108cfb740076bec8f'],
  ['float8_e5m2fnuz', 1, '0480d2f04b2d4dad466fe8d5cbdd1b52cb2d952f449d7db61b4baf47d9eb8e34'],
  ['bfloat16', 2, '6a00f29e7303e153fd9ec155cefb51fd665981aa463226c50006bc72f6739520'],
])('%s: all values equal those of ml_dtypes', (name, bytes, digest) => {
  const all = Buffer.alloc(8 * 256 ** bytes);
  for (let bits = 0; bits < 256 ** bytes; bits++) {
    const value = bytes === 1 ? float8ToNumber(name, bits) : bfloatToNumber(bits);
    if (Number.isNaN(value)) all.writeBigUInt64LE(0x7ff8000000000000n, 8 * bits);
    else all.writeDoubleLE(value, 8 * bits);
  }
  expect(createHash('sha256').update(all).digest('hex')).toBe(digest);
});

it('has the well-known values of the formats', () => {
  expect(float8ToNumber('float8_e4m3fn', 0x7e)).toBe(448);
  expect(float8ToNumber('float8_e5m2', 0x7b)).toBe(57344);
  expect(float8ToNumber('float8_e5m2', 0xfc)).toBe(-Infinity);
  expect(() => float8ToNumber('float16', 0)).toThrow(RangeError);
});
