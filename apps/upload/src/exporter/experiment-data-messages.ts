import type { ExperimentId, PointColumns } from '#model';
import { MessageWriter, summaryMetadataMessage, tensorMessage, timestampOf } from '#protocols';
import { type SeriesPart, writeBlobKey } from '#series';
import type { PickedBlobSequence, PickedTensor, SeriesSummary } from '#store';

/**
 * Maximum size of a message, in bytes. Clients accept messages of up to 4 MiB and end the export at
 * a larger message (protocol reference B.2). A slightly smaller limit leaves space for framing.
 */
export const maxMessageBytes = 4 * 1024 * 1024 - 64 * 1024;

/**
 * Maximum size of the metadata in a message, in bytes: every message of a series contains names and
 * metadata. Longer metadata is sent without content, display name and description.
 */
const maxHeadBytes = maxMessageBytes / 2;

/** Maximum size of a point: step, Timestamp and double with their keys and lengths. */
const maxPointBytes = 10 + 2 + (1 + 10 + 1 + 5) + 8;

/** A value that cannot be sent. Because it is logged, it contains no names. */
export interface LeftOut {
  readonly step: bigint;
  readonly why: 'too large for a message' | 'of no type that TensorBoard has' | 'of a type that its clients cannot read';
}

/** The data needed to convert values to messages. */
export interface MessageSource {
  readonly experimentId: ExperimentId;
  /** The bytes of a tensor that is stored as an object. */
  readonly readObject: (key: string) => Promise<Buffer>;
  readonly onLeftOut: (what: LeftOut) => void;
}

/** The StreamExperimentDataResponse messages of one part, each below {@link maxMessageBytes}. */
export async function* experimentDataMessages(part: SeriesPart, source: MessageSource): AsyncGenerator<Buffer> {
  const head = headOf(part.series);
  if ('points' in part) yield* scalarMessages(head, part.points);
  else if ('tensors' in part) yield* tensorMessages(head, part.tensors, source);
  else yield* sequenceMessages(head, part.series, part.sequences, source);
}

/** Fields 1 tag_name, 2 run_name, 3 tag_metadata. */
function headOf(series: SeriesSummary): Buffer {
  const metadata = summaryMetadataMessage(series);
  const fits = metadata.length < maxHeadBytes;
  const sent = fits ? metadata : summaryMetadataMessage({ ...series, pluginContent: new Uint8Array(), displayName: '', description: '' });
  return new MessageWriter(sent.length + 256).bytes(1, series.tag).bytes(2, series.run).bytes(3, sent).finish();
}

/** Field 4 points{1 steps; 2 wall_times; 3 values}. */
function* scalarMessages(head: Buffer, { steps, wallTimes, values }: PointColumns): Generator<Buffer> {
  const most = Math.floor((maxMessageBytes - head.length) / maxPointBytes);
  for (let from = 0; from < steps.length; from += most) {
    const to = Math.min(steps.length, from + most);
    const points = columns(steps.subarray(from, to), wallTimes.subarray(from, to)).packedDoubles(3, values.subarray(from, to));
    yield message(head, 4, points);
  }
}

/** Field 5 tensors{1 steps; 2 wall_times; 3 values}. */
async function* tensorMessages(
  head: Buffer,
  tensors: readonly PickedTensor[],
  { readObject, onLeftOut }: MessageSource,
): AsyncGenerator<Buffer> {
  const collected = new Collected<Buffer>(head, 5, (writer, value) => writer.bytes(3, value));
  for (const { step, wallTime, dtype, shape, body, objectKey } of tensors) {
    if (unreadable.has(dtype)) {
      onLeftOut({ step, why: 'of a type that its clients cannot read' });
      continue;
    }
    const packed = body ?? (await readObject(objectKey!));
    const value = dtype === 'bfloat16' ? tensorMessage('float32', shape, widened(packed)) : tensorMessage(dtype, shape, packed);
    if (value === null) onLeftOut({ step, why: 'of no type that TensorBoard has' });
    else if (!collected.couldHold(value.length)) onLeftOut({ step, why: 'too large for a message' });
    else {
      if (!collected.fits(value.length)) yield collected.take();
      collected.add(step, wallTime, value, value.length);
    }
  }
  if (collected.count > 0) yield collected.take();
}

/**
 * The number types that the last client that exports does not know without TensorFlow. It stops at
 * the first value of such a type, and all later values would be lost (protocol reference B.5).
 */
const unreadable = new Set(['float8_e5m2', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e4m3b11fnuz', 'float8_e5m2fnuz', 'int4', 'uint4']);

/** Converts each bfloat16 to the float32 with the same value; a bfloat16 is its upper half. */
function widened(packed: Uint8Array): Uint8Array {
  const wide = new Uint8Array(2 * packed.length);
  for (let at = 0; at + 1 < packed.length; at += 2) wide.set(packed.subarray(at, at + 2), 2 * at + 2);
  return wide;
}

/**
 * Field 6 blob_sequences{1 steps; 2 wall_times; 3 values{1 entries{1 blob{1 blob_id; 2 state}}}};
 * an entry without a blob is a hole.
 */
function* sequenceMessages(
  head: Buffer,
  { seriesId }: SeriesSummary,
  sequences: readonly PickedBlobSequence[],
  { experimentId, onLeftOut }: MessageSource,
): Generator<Buffer> {
  const current = 2;
  const collected = new Collected<Buffer>(head, 6, (writer, value) => writer.bytes(3, value));
  for (const { step, wallTime, fileId, ordinal, sha256 } of sequences) {
    const sequence = new MessageWriter();
    for (const [index, hash] of sha256.entries()) {
      const entry = new MessageWriter();
      if (hash !== null) {
        // The id contains the position of a blob, not its content, because the client fails if an id
        // occurs twice in an export (protocol reference B.5).
        const id = writeBlobKey({ experimentId, seriesId, fileId, ordinal, index });
        entry.bytes(1, new MessageWriter().bytes(1, id).varint(2, current).finish());
      }
      sequence.bytes(1, entry.finish());
    }
    const value = sequence.finish();
    if (!collected.couldHold(value.length)) onLeftOut({ step, why: 'too large for a message' });
    else {
      if (!collected.fits(value.length)) yield collected.take();
      collected.add(step, wallTime, value, value.length);
    }
  }
  if (collected.count > 0) yield collected.take();
}

/** Collects values for one message, until it is full. */
class Collected<Value> {
  readonly #head: Buffer;
  readonly #field: number;
  readonly #write: (writer: MessageWriter, value: Value) => void;
  #steps: bigint[] = [];
  #wallTimes: number[] = [];
  #values: Value[] = [];
  #bytes = 0;

  constructor(head: Buffer, field: number, write: (writer: MessageWriter, value: Value) => void) {
    this.#head = head;
    this.#field = field;
    this.#write = write;
  }

  get count(): number {
    return this.#values.length;
  }

  /** Whether a value of this many bytes fits in an empty message. */
  couldHold(bytes: number): boolean {
    return this.#head.length + 16 + maxPointBytes + bytes <= maxMessageBytes;
  }

  fits(bytes: number): boolean {
    return this.#head.length + 16 + this.#bytes + maxPointBytes + bytes <= maxMessageBytes;
  }

  add(step: bigint, wallTime: number, value: Value, bytes: number): void {
    this.#steps.push(step);
    this.#wallTimes.push(wallTime);
    this.#values.push(value);
    this.#bytes += bytes + maxPointBytes;
  }

  /** Returns the message with all added values, and empties the collection. */
  take(): Buffer {
    const writer = columns(BigInt64Array.from(this.#steps), Float64Array.from(this.#wallTimes));
    for (const value of this.#values) this.#write(writer, value);
    this.#steps = [];
    this.#wallTimes = [];
    this.#values = [];
    this.#bytes = 0;
    return message(this.#head, this.#field, writer);
  }
}

/** 1 steps; 2 wall_times. */
function columns(steps: BigInt64Array, wallTimes: Float64Array): MessageWriter {
  const writer = new MessageWriter(steps.length * 24 + 64).packedInt64(1, steps);
  for (const wallTime of wallTimes) {
    const { seconds, nanos } = timestampOf(wallTime);
    writer.bytes(2, new MessageWriter(24).varint(1, seconds).varint(2, nanos).finish());
  }
  return writer;
}

function message(head: Buffer, field: number, data: MessageWriter): Buffer {
  const bytes = data.finish();
  return Buffer.concat([head, new MessageWriter(bytes.length + 16).bytes(field, bytes).finish()]);
}
