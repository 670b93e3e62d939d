import { createHash, type Hash } from 'node:crypto';
import { limits, Problem } from '#model';
import { isSummaryMetadata, isTensorProto } from '#points';
import type { WriteScalarRequest, WriteTensorRequest } from '#protocols';
import { checkRunName } from '../files/file-names.ts';
import { EventRecords } from './event-records.ts';
import { wallTimeOf } from './wall-time.ts';

/** What a request says about one run, as records. */
export interface RunRecords {
  readonly run: string;
  /** Whole records. A run with many has several pieces, none much longer than `pieceBytes`. */
  readonly pieces: readonly Buffer[];
}

/** What a request says, run by run. */
export interface RequestRecords {
  readonly runs: readonly RunRecords[];
  /** SHA-256 of all of it: the same request, sent again, has the same. */
  readonly hash: Buffer;
}

/** Segments of the ledger have at most `limits.maxAppendBytes`; one record more than this fits. */
const pieceBytes = 4 * 1024 * 1024;

const dataClass = { scalar: 1, tensor: 2, blobs: 3 } as const;

/** SummaryMetadata {plugin_data {plugin_name: "scalars"}}: what a client means that says nothing. */
const scalarMetadata = Buffer.from('0a090a077363616c617273', 'hex');

/** Throws `invalid-name`, `name-too-long` and `bad-request`. */
export function scalarRecords({ runs }: Pick<WriteScalarRequest, 'runs'>): RequestRecords {
  return recordsOf(
    'WriteScalar',
    runs.map(({ name, tags }) => ({
      name,
      write: (room: () => EventRecords) => {
        for (const { name: tagName, points, metadata: given } of tags) {
          const tag = Buffer.from(tagName);
          let metadata: Buffer | null = withClass(given.length === 0 ? scalarMetadata : given, dataClass.scalar);
          for (const { step, wallTime, value } of keptOf(tag, points)) {
            room().scalar({ tag, step, wallTime: wallTimeOf(wallTime), metadata }, value);
            metadata = null;
          }
        }
      },
    })),
  );
}

/** Throws `invalid-name`, `name-too-long` and `bad-request`: a tensor is handed on as the bytes that came, which have to be one. */
export function tensorRecords({ runs }: Pick<WriteTensorRequest, 'runs'>): RequestRecords {
  return recordsOf(
    'WriteTensor',
    runs.map(({ name, tags }) => ({
      name,
      write: (room: () => EventRecords) => {
        for (const { name: tagName, points, metadata: given } of tags) {
          const tag = Buffer.from(tagName);
          let metadata: Buffer | null = withClass(given, dataClass.tensor);
          for (const { step, wallTime, value } of keptOf(tag, points)) {
            if (!isTensorProto(value)) throw new Problem('bad-request', `A tensor of tag ${JSON.stringify(tagName)} cannot be read.`);
            room().tensor({ tag, step, wallTime: wallTimeOf(wallTime), metadata }, value);
            metadata = null;
          }
        }
      },
    })),
  );
}

/** One value of a series of blobs. Throws as the others do. */
export function blobRecords(
  run: string,
  value: { readonly tag: Buffer; readonly step: bigint; readonly wallTime: number; readonly metadata: Buffer },
  blobs: readonly Uint8Array[],
): RequestRecords {
  const write = (room: () => EventRecords): void => room().blobs({ ...value, metadata: withClass(value.metadata, dataClass.blobs) }, blobs);
  return recordsOf('WriteBlob', [{ name: run, write }]);
}

/** Of a tag that is too long to be kept, one value: the reader says so once, and its name is not repeated for each point. */
function keptOf<T>(tag: Buffer, points: readonly T[]): readonly T[] {
  return tag.length > limits.maxTagBytes ? points.slice(0, 1) : points;
}

/**
 * The class of a series is that of the method by which it came, whatever its metadata say: of a field that is there twice, the last one counts. Throws `bad-request` for bytes that are
 * no metadata.
 */
function withClass(metadata: Uint8Array, kind: number): Buffer {
  if (!isSummaryMetadata(metadata)) throw new Problem('bad-request', 'The metadata of a tag cannot be read.');
  return Buffer.concat([metadata, Buffer.from([0x20, kind])]);
}

interface NamedRun {
  readonly name: string;
  /** Writes its records, each to what `room` gives. */
  readonly write: (room: () => EventRecords) => void;
}

function recordsOf(method: string, named: readonly NamedRun[]): RequestRecords {
  const hash = createHash('sha256');
  addText(hash, method);
  const runs = named.map(({ name, write }): RunRecords => {
    const run = checkRunName(name);
    addText(hash, run);
    const writers: EventRecords[] = [];
    write(() => {
      const last = writers.at(-1);
      if (last && last.length < pieceBytes) return last;
      const fresh = new EventRecords();
      writers.push(fresh);
      return fresh;
    });
    const pieces = writers.map((writer) => writer.finish());
    addLength(
      hash,
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
    for (const piece of pieces) hash.update(piece);
    return { run, pieces };
  });
  return { runs: runs.filter(({ pieces }) => pieces.length > 0), hash: hash.digest() };
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
