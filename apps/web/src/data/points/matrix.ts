import type { TensorJson } from '../values.ts';
import type { Matrix } from './pca.ts';

/** Maximum number of elements in a drawn matrix: 5,000 × 512. */
export const maxNumbers = 2_560_000;

/** A tensor with packed numbers: little-endian bytes in C order. */
export interface PackedTensor extends Omit<TensorJson, 'data'> {
  readonly data: { readonly base64: string };
}

type Read = (view: DataView, at: number) => number;

const readers: Readonly<Record<string, { readonly size: number; readonly read: Read }>> = {
  float64: { size: 8, read: (view, at) => view.getFloat64(at, true) },
  float32: { size: 4, read: (view, at) => view.getFloat32(at, true) },
  float16: { size: 2, read: (view, at) => halfOf(view.getUint16(at, true)) },
  bfloat16: { size: 2, read: (view, at) => bfloatOf(view.getUint16(at, true)) },
  int8: { size: 1, read: (view, at) => view.getInt8(at) },
  int16: { size: 2, read: (view, at) => view.getInt16(at, true) },
  int32: { size: 4, read: (view, at) => view.getInt32(at, true) },
  int64: { size: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  uint8: { size: 1, read: (view, at) => view.getUint8(at) },
  uint16: { size: 2, read: (view, at) => view.getUint16(at, true) },
  uint32: { size: 4, read: (view, at) => view.getUint32(at, true) },
  uint64: { size: 8, read: (view, at) => Number(view.getBigUint64(at, true)) },
};

/** The numbers in a tensor; null if none of them can be drawn. */
export function unpackNumbers({ dtype, data }: Pick<PackedTensor, 'dtype' | 'data'>): Float64Array | null {
  const reader = readers[dtype];
  if (!reader) return null;
  const bytes = Uint8Array.from(atob(data.base64), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const numbers = new Float64Array(Math.floor(bytes.length / reader.size));
  for (let i = 0; i < numbers.length; i++) numbers[i] = reader.read(view, i * reader.size);
  return numbers;
}

/** Why a tensor's rows cannot be drawn; null if they can. */
export function reasonAgainst({ dtype, shape }: Pick<PackedTensor, 'dtype' | 'shape'>): string | null {
  if (shape.length !== 2) return 'Only matrices are drawn.';
  const [rows, columns] = shape as [number, number];
  if (!readers[dtype]) return `Elements of type ${dtype} are not drawn.`;
  if (rows < 3 || columns < 2) return 'Only matrices with at least 3 rows and 2 columns are drawn.';
  return rows * columns > maxNumbers ? 'Only matrices with up to 2,560,000 numbers (5,000 × 512) are drawn.' : null;
}

/** A tensor as a matrix; null if it is not a matrix or cannot be drawn. */
export function readMatrix(tensor: PackedTensor): Matrix | null {
  if (reasonAgainst(tensor) !== null) return null;
  const [rows, columns] = tensor.shape as [number, number];
  const values = unpackNumbers(tensor);
  return values?.length === rows * columns ? { rows, columns, values } : null;
}

function halfOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}

function bfloatOf(bits: number): number {
  return new Float32Array(Uint32Array.of(bits << 16).buffer)[0]!;
}
