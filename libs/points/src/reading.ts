import { type DtypeName, limits } from '#model';
import type { LegacyHistogram } from './legacy-histogram.ts';
import { type TensorProto, tooLargeForTensor } from './tensor-proto.ts';

/** A tensor as stored (`TensorValue` without offset and time). */
export interface TensorData {
  readonly dtype: DtypeName;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** The properties of a series that determine how blobs are read. */
export interface BlobRules {
  /**
   * Whether only the first element of each tensor row is a clip; the rest are labels (data rule 7).
   */
  readonly audio: boolean;
  /**
   * Whether a rank-0 string counts as a sequence of one blob (protocol reference A.6, graph
   * sub-plugins).
   */
  readonly graphPart: boolean;
}

/**
 * The bytes to which repeated elements in one event can still expand. A 20-byte value can stand for
 * a 16 MiB tensor; an event full of such values must not stand for gigabytes.
 */
export interface UnfoldBudget {
  left: number;
}

/**
 * A summary value, and its possible readings. Null for classes to which it does not belong. Bytes
 * are views of the record if possible.
 */
export interface Reading {
  scalar(): { value: number; rounded: boolean } | null;
  blobs(rules: BlobRules): Uint8Array[] | null;
  /**
   * Anything can be read as a tensor, at worst as an `undecodable` one. Null if it is too large.
   */
  tensor(budget: UnfoldBudget): TensorData | null;
}

const empty = new Uint8Array(0);

/**
 * A float tensor without elements, which stands for "no value" (protocol reference A.5, hparams).
 */
const nullTensor: TensorData = { dtype: 'float32', shape: [0], data: empty };

/** `simple_value`. */
export function readSimpleValue(value: number): Reading {
  return {
    scalar: () => ({ value, rounded: false }),
    blobs: () => null,
    tensor: () => ({ dtype: 'float32', shape: [], data: new Uint8Array(Float32Array.of(value).buffer) }),
  };
}

/** Reads values that are blobs from the start: legacy images and audio, graphs, run metadata. */
export function readBlobs(blobs: Uint8Array[]): Reading {
  return {
    scalar: () => null,
    blobs: () => blobs,
    tensor: () => packStrings(blobs, [blobs.length]),
  };
}

/** Reads a legacy histogram; if its lists do not match, its bytes are kept unchanged. */
export function readHistogram(histogram: LegacyHistogram, raw: Uint8Array): Reading {
  return {
    scalar: () => null,
    blobs: () => null,
    tensor: () => {
      const rows = histogram.rows();
      if (rows === null) return undecodable(raw, []);
      if (tooLargeForTensor(rows.byteLength)) return null;
      return { dtype: 'float64', shape: [rows.length / 3, 3], data: new Uint8Array(rows.buffer) };
    },
  };
}

/** A value without any data, for series of tensors. */
export const readNothing: Reading = { scalar: () => null, blobs: () => null, tensor: () => nullTensor };

/** `tensor`. */
export function readTensor(proto: TensorProto): Reading {
  return {
    scalar: () => proto.scalar(),
    blobs: (rules) => blobsOf(proto, rules),
    tensor: (budget) => tensorOf(proto, budget),
  };
}

function tensorOf(proto: TensorProto, budget: UnfoldBudget): TensorData | null {
  const { dtype, shape, elements } = proto;
  const contentBytes = proto.contentEnd - proto.contentStart;
  const raw = proto.buf.subarray(proto.start, proto.end);
  if (dtype === undefined || shape === null) return undecodable(raw, shape ?? []);
  if (dtype.entry === 'bytes') return contentBytes > 0 ? undecodable(raw, shape) : stringTensor(proto, shape, elements, budget);
  const bytes = elements * dtype.bytes;
  if (contentBytes > 0) {
    if (contentBytes !== bytes) return undecodable(raw, shape);
    return tooLargeForTensor(bytes) ? null : { dtype: dtype.name, shape, data: proto.buf.subarray(proto.contentStart, proto.contentEnd) };
  }
  const count = proto.count(dtype);
  const repeated = count === dtype.entriesPerElement;
  if (!repeated && count !== elements * dtype.entriesPerElement) return undecodable(raw, shape);
  if (tooLargeForTensor(bytes) || !unfold(budget, bytes - (proto.end - proto.start))) return null;
  const data = new Uint8Array(Math.max(bytes, count * (dtype.bytes / dtype.entriesPerElement)));
  proto.writeNumbers(dtype, new DataView(data.buffer));
  // A single element is the value of all elements (protocol reference A.4, decoding rules).
  for (let have = dtype.bytes; repeated && have < bytes; have *= 2) data.copyWithin(have, 0, have);
  return { dtype: dtype.name, shape, data: data.subarray(0, bytes) };
}

function stringTensor(proto: TensorProto, shape: number[], elements: number, budget: UnfoldBudget): TensorData | null {
  const count = proto.count(proto.dtype!);
  const bytes = count === 1 ? (4 + proto.stringBytes) * elements : 4 * count + proto.stringBytes;
  if (count !== 1 && count !== elements) return undecodable(proto.buf.subarray(proto.start, proto.end), shape);
  if (tooLargeForTensor(bytes) || !unfold(budget, bytes - 2 * (proto.end - proto.start))) return null;
  const data = new Uint8Array(bytes);
  const view = new DataView(data.buffer);
  let at = 0;
  proto.eachString((start, end) => {
    for (let copies = count === 1 ? elements : 1; copies > 0; copies--) {
      view.setUint32(at, end - start);
      data.set(proto.buf.subarray(start, end), at + 4);
      at += 4 + end - start;
    }
  });
  return { dtype: 'string', shape, data };
}

/**
 * Protocol reference A.6: a rank-1 tensor of strings, or a value that its plugin's rules treat as
 * one.
 */
function blobsOf(proto: TensorProto, { audio, graphPart }: BlobRules): Uint8Array[] | null {
  const { dtype, shape, elements } = proto;
  if (dtype?.name !== 'string' || shape === null || proto.contentEnd > proto.contentStart) return null;
  const count = proto.count(dtype);
  if (count !== elements) return null;
  let stride = 1;
  if (shape.length > 1 && audio) stride = shape.slice(1).reduce((product, size) => product * size, 1);
  else if (shape.length !== 1 && !(shape.length === 0 && graphPart)) return null;
  if (stride === 0) return null;
  const blobs: Uint8Array[] = [];
  let index = 0;
  proto.eachString((start, end) => {
    // A list that is too long to keep is rejected by its length; the rest is not built.
    if (index++ % stride === 0 && blobs.length <= limits.maxValuesPerEvent) blobs.push(proto.buf.subarray(start, end));
  });
  return blobs;
}

function packStrings(strings: readonly Uint8Array[], shape: readonly number[]): TensorData | null {
  const bytes = strings.reduce((sum, string) => sum + 4 + string.length, 0);
  if (tooLargeForTensor(bytes)) return null;
  const data = new Uint8Array(bytes);
  const view = new DataView(data.buffer);
  let at = 0;
  for (const string of strings) {
    view.setUint32(at, string.length);
    data.set(string, at + 4);
    at += 4 + string.length;
  }
  return { dtype: 'string', shape, data };
}

/** A value that cannot be decoded is kept unchanged: the bytes of the protobuf message. */
function undecodable(raw: Uint8Array, shape: readonly number[]): TensorData | null {
  return tooLargeForTensor(raw.length) ? null : { dtype: 'undecodable', shape, data: raw };
}

/**
 * Charges the bytes of a tensor beyond the bytes of its record to the budget. Returns false if the
 * budget is too small.
 */
function unfold(budget: UnfoldBudget, bytes: number): boolean {
  if (bytes > budget.left) return false;
  budget.left -= Math.max(0, bytes);
  return true;
}
