import { createHash, type Hash } from 'node:crypto';
import { type Codec, codecOfPart, fieldsOf, textOfField } from '#grpc';
import { limits, Problem } from '#model';
import { EventRecords, isSummaryMetadata, isTensorProto, type ValuePlace } from '#points';
import { checkRunName } from '../files/file-names.ts';
import { LoopSlices } from './loop-slices.ts';
import { wallTimeOf } from './wall-time.ts';

/** The data of one run in a request, as records. */
export interface RunRecords {
  readonly run: string;
  /**
   * Complete records. If a run has many records, they are split into pieces that are at most
   * slightly longer than `pieceBytes`.
   */
  readonly pieces: readonly Buffer[];
}

/** The data of a request, by run. */
export interface RequestRecords {
  readonly runs: readonly RunRecords[];
  /** SHA-256 of the whole request. A repeated request has the same hash. */
  readonly hash: Buffer;
}

/**
 * Size of a piece, in bytes. Ledger segments are limited to `limits.maxAppendBytes`; this value
 * leaves space for one more record.
 */
const pieceBytes = 4 * 1024 * 1024;

const dataClass = { scalar: 1, tensor: 2, blobs: 3 } as const;

/**
 * SummaryMetadata {plugin_data {plugin_name: "scalars"}}, the default for clients that send no
 * metadata.
 */
const scalarMetadata = Buffer.from('0a090a077363616c617273', 'hex');

/** Limits for one request, above the largest request that a stock client sends. */
const max = { runs: 10_000, tags: 50_000, points: 300_000, fields: 2_000_000 };

/** How to convert a method's points to records. */
interface PointKind {
  readonly method: 'WriteScalar' | 'WriteTensor';
  readonly dataClass: number;
  /** Used for tags without metadata. */
  readonly metadata: Buffer;
  /** Writes one point. `point`: its message. */
  readonly write: (room: () => EventRecords, place: Omit<ValuePlace, 'step' | 'wallTime'>, point: Buffer) => void;
}

const scalarPoint = codecOfPart('tensorboard.service.ScalarPoint');
const tensorPoint = codecOfPart('tensorboard.service.TensorPoint');

/** Throws a RangeError if the bytes are not a point. */
function pointOf<T>({ decode }: Codec<T>, bytes: Buffer): T {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new RangeError('a point cannot be read', { cause: error });
  }
}

const scalars: PointKind = {
  method: 'WriteScalar',
  dataClass: dataClass.scalar,
  metadata: scalarMetadata,
  write: (room, place, point) => {
    const { step, wallTime, value } = pointOf(scalarPoint, point);
    room().scalar({ ...place, step, wallTime: wallTimeOf(wallTime) }, value);
  },
};

/** A tensor is validated and passed on unchanged. */
const tensors: PointKind = {
  method: 'WriteTensor',
  dataClass: dataClass.tensor,
  metadata: Buffer.alloc(0),
  write: (room, place, point) => {
    const { step, wallTime, value } = pointOf(tensorPoint, point);
    if (!isTensorProto(value))
      throw new Problem('bad-request', `A tensor of tag ${JSON.stringify(textOfField(Buffer.from(place.tag)))} cannot be read.`);
    room().tensor({ ...place, step, wallTime: wallTimeOf(wallTime) }, value);
  },
};

/** A parsed write request. */
export interface WriteRequest {
  readonly experimentId: string;
  readonly records: RequestRecords;
}

/** Parses a WriteScalarRequest, like {@link readWriteTensor}. */
export function readWriteScalar(message: Buffer, signal: AbortSignal): Promise<WriteRequest> {
  return readWrite(message, scalars, signal);
}

/**
 * Parses a WriteTensorRequest point by point, in slices of the event loop: the largest request has
 * a quarter of a million points. Throws `invalid-name`, `name-too-long`, `bad-request` and
 * `body-too-large`, and the reason of `signal` if the call was canceled.
 */
export function readWriteTensor(message: Buffer, signal: AbortSignal): Promise<WriteRequest> {
  return readWrite(message, tensors, signal);
}

async function readWrite(message: Buffer, kind: PointKind, signal: AbortSignal): Promise<WriteRequest> {
  const reading = { kind, slices: new LoopSlices(signal), left: { ...max } };
  const hash = createHash('sha256');
  addText(hash, kind.method);
  const runs: RunRecords[] = [];
  let experimentId = '';
  try {
    let name: Buffer = Buffer.alloc(0);
    for (const { id, bytes } of fieldsOf(message)) {
      if (id === 1) name = bytes;
      if (id === 2) runs.push(addRun(hash, await readRun(bytes, reading)));
      const pause = pauseAfterField(reading);
      if (pause) await pause;
    }
    experimentId = textOfField(name);
  } catch (error) {
    throw error instanceof RangeError ? new Problem('bad-request', 'The message cannot be read.', { cause: error }) : error;
  }
  return { experimentId, records: { runs: runs.filter(({ pieces }) => pieces.length > 0), hash: hash.digest() } };
}

interface Reading {
  readonly kind: PointKind;
  readonly slices: LoopSlices;
  /** The remaining limits of the request. */
  readonly left: { [what in keyof typeof max]: number };
}

/** Called after each field, because a message can have millions of fields. */
function pauseAfterField(reading: Reading): Promise<void> | null {
  count(reading, 'fields');
  return reading.slices.step();
}

function count({ left }: Reading, what: keyof typeof max): void {
  if (--left[what] < 0)
    throw new Problem('body-too-large', `A request may have at most ${max[what]} ${what}. Send it as several requests.`);
}

/** A run: its name (1) and its tags (2). */
async function readRun(message: Buffer, reading: Reading): Promise<RunRecords> {
  count(reading, 'runs');
  let name: Buffer = Buffer.alloc(0);
  const writers = new RunWriters(message.length);
  for (const { id, bytes } of fieldsOf(message)) {
    if (id === 1) name = bytes;
    if (id === 2) await readTag(bytes, reading, writers);
    const pause = pauseAfterField(reading);
    if (pause) await pause;
  }
  return { run: checkRunName(textOfField(name)), pieces: writers.finish() };
}

/** A tag: its name (1), its points (2) and its metadata (3), which follows the points. */
async function readTag(message: Buffer, reading: Reading, writers: RunWriters): Promise<void> {
  count(reading, 'tags');
  const { kind } = reading;
  let name: Buffer = Buffer.alloc(0);
  let given: Buffer = Buffer.alloc(0);
  let points = 0;
  for (const { id, bytes } of fieldsOf(message)) {
    if (id === 1) name = bytes;
    if (id === 3) given = bytes;
    if (id === 2) {
      points++;
      count(reading, 'points');
    }
    const pause = pauseAfterField(reading);
    if (pause) await pause;
  }
  const tag = Buffer.from(textOfField(name));
  let metadata: Buffer | null = withClass(given.length === 0 ? kind.metadata : given, kind.dataClass);
  // If a tag is too long to store, only a single value is written for it: the record reader reports
  // the tag once, and the name is not repeated for each point.
  let left = tag.length > limits.maxTagBytes ? Math.min(points, 1) : points;
  for (const { id, bytes } of fieldsOf(message)) {
    if (id === 2 && left-- > 0) {
      kind.write(writers.room, { tag, metadata }, bytes);
      metadata = null;
    }
    const pause = pauseAfterField(reading);
    if (pause) await pause;
  }
}

/** The records of one run, in pieces. */
class RunWriters {
  readonly #writers: EventRecords[] = [];
  readonly #bytes: number;

  /** `bytes`: approximate total size. */
  constructor(bytes: number) {
    this.#bytes = Math.min(64 * 1024, 256 + 2 * bytes);
  }

  /** Where to write the next record. */
  readonly room = (): EventRecords => {
    const last = this.#writers.at(-1);
    if (last && last.length < pieceBytes) return last;
    const fresh = new EventRecords(this.#bytes);
    this.#writers.push(fresh);
    return fresh;
  };

  finish(): Buffer[] {
    return this.#writers.map((writer) => writer.finish());
  }
}

/** One value of a blob series. Throws the same errors as the other functions. */
export function blobRecords(
  run: string,
  value: { readonly tag: Buffer; readonly step: bigint; readonly wallTime: number; readonly metadata: Buffer },
  blobs: readonly Uint8Array[],
): RequestRecords {
  const writers = new RunWriters(blobs.reduce((sum, { length }) => sum + length, 0));
  writers.room().blobs({ ...value, metadata: withClass(value.metadata, dataClass.blobs) }, blobs);
  const hash = createHash('sha256');
  addText(hash, 'WriteBlob');
  const only = addRun(hash, { run: checkRunName(run), pieces: writers.finish() });
  return { runs: [only], hash: hash.digest() };
}

/**
 * The method determines the class of a series; the class in the series' metadata is ignored. If a
 * field is repeated, the last one counts. Throws `bad-request` for bytes that are not metadata.
 */
function withClass(metadata: Uint8Array, kind: number): Buffer {
  if (!isSummaryMetadata(metadata)) throw new Problem('bad-request', 'The metadata of a tag cannot be read.');
  return Buffer.concat([metadata, Buffer.from([0x20, kind])]);
}

/** Makes a run part of the identity of its request. */
function addRun(hash: Hash, own: RunRecords): RunRecords {
  addText(hash, own.run);
  addLength(
    hash,
    own.pieces.reduce((sum, { length }) => sum + length, 0),
  );
  for (const piece of own.pieces) hash.update(piece);
  return own;
}

function addText(hash: Hash, text: string): void {
  addLength(hash, Buffer.byteLength(text));
  hash.update(text);
}

function addLength(hash: Hash, length: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  hash.update(bytes);
}
