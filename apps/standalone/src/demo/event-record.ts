import type { TagName } from '#model';
import { MessageWriter } from '#protocols';
import { crc32c, maskedCrc } from '#records';

/*
 * Records as TensorFlow's writers produce them. The field numbers come from event.proto,
 * summary.proto, tensor.proto and the plugins.
 */

/** Numbers of `DataClass`. */
const dataClasses = { scalar: 1, tensor: 2, blob_sequence: 3 } as const;

/** The first record of every event file. */
export function versionRecord(wallTime: number): Buffer {
  return record(new MessageWriter().double(1, wallTime).bytes(3, 'brain.Event:2').finish());
}

/** A record with the values logged at a step. */
export function eventRecord(wallTime: number, step: number, values: readonly Buffer[]): Buffer {
  const summary = new MessageWriter(4_096);
  for (const value of values) summary.bytes(1, value);
  return record(new MessageWriter(4_096).double(1, wallTime).varint(2, step).bytes(5, summary.finish()).finish());
}

export function scalarValue(tag: TagName, value: number): Buffer {
  const tensor = new MessageWriter().varint(1, 1).bytes(2, '').packedFloats(5, Float32Array.of(value)).finish();
  return valueOf(tag, 'scalars', 'scalar', tensor);
}

/** `bins`: the left edge, the right edge, and the count of each bin. */
export function histogramValue(tag: TagName, bins: readonly (readonly [number, number, number])[]): Buffer {
  const numbers = Float64Array.from(bins.flat());
  const content = new Uint8Array(numbers.buffer);
  const tensor = new MessageWriter(1_024).varint(1, 2).bytes(2, shape(bins.length, 3)).bytes(4, content).finish();
  return valueOf(tag, 'histograms', 'tensor', tensor);
}

export function imageValue(tag: TagName, size: number, png: Buffer): Buffer {
  const tensor = new MessageWriter(png.length + 64).varint(1, 7).bytes(2, shape(3));
  for (const part of [String(size), String(size), png]) tensor.bytes(8, part);
  return valueOf(tag, 'images', 'blob_sequence', tensor.finish());
}

/** A Markdown value. */
export function textValue(tag: TagName, text: string): Buffer {
  const tensor = new MessageWriter(1_024).varint(1, 7).bytes(2, shape(1)).bytes(8, text).finish();
  return valueOf(tag, 'text', 'tensor', tensor);
}

/** The hyperparameters at the start of a run. */
export function sessionStartValue(hparams: Readonly<Record<string, string | number>>, startTime: number): Buffer {
  const info = new MessageWriter();
  for (const [name, value] of Object.entries(hparams)) {
    const one = typeof value === 'number' ? new MessageWriter().double(2, value) : new MessageWriter().bytes(3, value);
    info.bytes(1, new MessageWriter().bytes(1, name).bytes(2, one.finish()).finish());
  }
  return sessionValue('_hparams_/session_start_info', new MessageWriter().bytes(3, info.double(5, startTime).finish()).finish());
}

/** A value that says how a run ended. */
export function sessionEndValue(isSuccess: boolean, endTime: number): Buffer {
  const info = new MessageWriter().varint(1, isSuccess ? 1 : 2).double(2, endTime);
  return sessionValue('_hparams_/session_end_info', new MessageWriter().bytes(4, info.finish()).finish());
}

function sessionValue(tag: TagName, content: Buffer): Buffer {
  const plugin = new MessageWriter().bytes(1, 'hparams').bytes(2, content).finish();
  return new MessageWriter().bytes(1, tag).bytes(9, new MessageWriter().bytes(1, plugin).finish()).finish();
}

function valueOf(tag: TagName, plugin: string, dataClass: keyof typeof dataClasses, tensor: Buffer): Buffer {
  const metadata = new MessageWriter().bytes(1, new MessageWriter().bytes(1, plugin).finish()).varint(4, dataClasses[dataClass]);
  return new MessageWriter(tensor.length + 128).bytes(1, tag).bytes(8, tensor).bytes(9, metadata.finish()).finish();
}

function shape(...sizes: readonly number[]): Buffer {
  const all = new MessageWriter();
  for (const size of sizes) all.bytes(2, new MessageWriter().varint(1, size).finish());
  return all.finish();
}

/** TFRecord framing: the length, its checksum, the data, and their checksum. */
function record(data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(maskedCrc(crc32c(0, head, 0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(maskedCrc(crc32c(0, data)));
  return Buffer.concat([head, data, tail]);
}
