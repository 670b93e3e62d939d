import { expect, it } from 'vitest';
import type { DtypeName } from '#model';
import { tensorJson } from './tensor-json.ts';

// Generated with ml_dtypes: np.array([7, 0xc8, 0x7f], 'u1').view(ml_dtypes.NAME).astype('f8'); for
// four-bit types, the inputs are 7, 8 and 15.
it.each<[DtypeName, number[], unknown[]]>([
  ['float8_e5m2', [7, 0xc8, 0x7f], [0.0001068115234375, -8, 'NaN']],
  ['float8_e4m3fn', [7, 0xc8, 0x7f], [0.013671875, -4, 'NaN']],
  ['float8_e4m3fnuz', [7, 0xc8, 0x7f], [0.0068359375, -2, 240]],
  ['float8_e4m3b11fnuz', [7, 0xc8, 0x7f], [0.0008544921875, -0.25, 30]],
  ['float8_e5m2fnuz', [7, 0xc8, 0x7f], [5.340576171875e-5, -4, 57_344]],
  ['int4', [7, 8, 15], [7, -8, -1]],
  ['uint4', [7, 8, 15], [7, 8, 15]],
])('a tensor of several %s elements has their values', (dtype, bytes, data) => {
  expect(JSON.parse(tensorJson(dtype, [3], Uint8Array.from(bytes)))).toEqual({ dtype, shape: [3], data });
});

it('a tensor that could not be decoded has its bytes', () => {
  expect(JSON.parse(tensorJson('undecodable', [2], Uint8Array.of(1, 2)))).toEqual({
    dtype: 'undecodable',
    shape: [2],
    data: { base64: 'AQI=' },
  });
});
