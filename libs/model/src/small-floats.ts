import { halfToNumber } from './half.ts';

/** An 8-bit float with a sign bit. */
interface Float8 {
  readonly fractionBits: 2 | 3;
  readonly bias: number;
  /**
   * `finite`: NaN has all bits except the sign set, and there are no infinities. `unsigned-zero`:
   * in addition, 0x80 is the only NaN, and there is no -0.
   */
  readonly special: 'finite' | 'unsigned-zero';
}

/**
 * By name of the type. float8_e5m2 is the upper half of a float16. Source: the header of ml_dtypes'
 * float8.h.
 */
const float8s: Readonly<Record<string, Float8>> = {
  float8_e4m3fn: { fractionBits: 3, bias: 7, special: 'finite' },
  float8_e4m3fnuz: { fractionBits: 3, bias: 8, special: 'unsigned-zero' },
  float8_e4m3b11fnuz: { fractionBits: 3, bias: 11, special: 'unsigned-zero' },
  float8_e5m2fnuz: { fractionBits: 2, bias: 16, special: 'unsigned-zero' },
};

/** The names of the 8-bit floats. */
export const float8Names: readonly string[] = ['float8_e5m2', ...Object.keys(float8s)];

/** bfloat16, the upper half of a float32, as a number. */
export function bfloatToNumber(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint16(0, bits);
  return view.getFloat32(0);
}

/** An 8-bit float as a number. Throws RangeError for the name of another type. */
export function float8ToNumber(name: string, bits: number): number {
  if (name === 'float8_e5m2') return halfToNumber(bits << 8);
  const type = float8s[name];
  if (type === undefined) throw new RangeError(`${name} is not an 8-bit float.`);
  const { fractionBits, bias, special } = type;
  if (special === 'finite' ? (bits & 0x7f) === 0x7f : bits === 0x80) return NaN;
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits & 0x7f) >>> fractionBits;
  const fraction = bits & ((1 << fractionBits) - 1);
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * ((1 << fractionBits) + fraction) * 2 ** (exponent - bias - fractionBits);
}
