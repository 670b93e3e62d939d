import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { crc32 } from '@node-rs/crc32';
import { numberTensor, seededRandom, stringTensor, tensorValue } from '#testing';

/** A value that is no scalar, as it was logged. */
export interface LoggedMedia {
  readonly tag: string;
  /** Serialized `Summary.Value`. */
  readonly bytes: Uint8Array;
  /** What has to be read back: {@link tensorContent} or {@link blobsContent}. */
  readonly content: string;
  /** What `content` is of: a tensor, also of text; else null. */
  readonly tensor: JsonTensor | null;
  /** Or the blobs of an image in their order; else empty. */
  readonly blobs: readonly Buffer[];
}

/** A tensor as answers have it. */
export interface JsonTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly unknown[];
}

/** A tensor as one string, to compare by. */
export function tensorContent({ dtype, shape, data }: JsonTensor): string {
  return `${dtype} [${shape.join()}] ${createHash('sha256').update(JSON.stringify(data)).digest('hex')}`;
}

/** A sequence of blobs as one string, to compare by. `sha256`: of each in hexadecimal, null for a hole. */
export function blobsContent(sha256: readonly (string | null)[]): string {
  return `blobs ${sha256.join()}`;
}

/** Rows of a histogram (left, right, count). The larger one has more than the 16 KiB of a row of the database, and becomes an object. */
const histogramRows = { usual: 8, large: 700 };
/** Pixels along each side. */
const pictureSides = { usual: 6, large: 90 };
/** So often is a histogram or a picture a large one. */
const largeShare = 0.12;
/** Pictures that all files of a seed share, and how often one of them is taken: blobs with the same content are one object. */
const shared = { pictures: 3, share: 0.3 };

/** The histograms, texts and pictures of a file without end, one of each in turn. */
export function* mediaOf(seed: number, fileNumber: number): Generator<LoggedMedia> {
  const random = seededRandom(seed * 999_983 + fileNumber);
  for (let n = 0; ; n++) {
    yield histogram(random, n);
    yield text(random, fileNumber, n);
    yield picture(random, seed);
  }
}

function histogram(random: () => number, n: number): LoggedMedia {
  const rows = random() < largeShare ? histogramRows.large : histogramRows.usual;
  const values = Float64Array.from({ length: rows * 3 }, (_, i) => (i % 3 === 2 ? Math.floor(random() * 1_000) : random() * 2 - 1));
  values[2] = n; // no two of a file are the same
  const shape = [rows, 3];
  return tensor('media/histogram', 'histograms', numberTensor(shape, values), { dtype: 'float64', shape, data: [...values] });
}

function text(random: () => number, fileNumber: number, n: number): LoggedMedia {
  const words = `file ${fileNumber}, text ${n}: ${'größer than 0 → ✓ '.repeat(1 + Math.floor(random() * 8))}`;
  return tensor('media/text', 'text', stringTensor([words]), { dtype: 'string', shape: [1], data: [words] });
}

function tensor(tag: string, plugin: string, proto: Uint8Array, json: JsonTensor): LoggedMedia {
  return { tag, bytes: tensorValue(tag, plugin, 'tensor', proto), content: tensorContent(json), tensor: json, blobs: [] };
}

/** An image as TF2's writers have it: width, height and PNG, which are three blobs. */
function picture(random: () => number, seed: number): LoggedMedia {
  const isShared = random() < shared.share;
  const pixels = isShared ? seededRandom(seed * 31 + Math.floor(random() * shared.pictures)) : random;
  const side = pixels() < largeShare ? pictureSides.large : pictureSides.usual;
  const blobs = [Buffer.from(String(side)), Buffer.from(String(side)), greyPng(side, pixels)];
  return {
    tag: 'media/picture',
    bytes: tensorValue('media/picture', 'images', 'blob_sequence', stringTensor(blobs)),
    content: blobsContent(blobs.map((blob) => createHash('sha256').update(blob).digest('hex'))),
    tensor: null,
    blobs,
  };
}

/** A square PNG of random grey pixels, eight bits each (W3C PNG, 11.2: IHDR, IDAT, IEND). */
function greyPng(side: number, random: () => number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8; // bits; the color type 0 is grey
  const lines = Buffer.alloc(side * (side + 1)); // each begins with 0, "no filter"
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) lines[y * (side + 1) + 1 + x] = Math.floor(random() * 256);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(lines)), pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
