import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { crc32 } from '@node-rs/crc32';
import { numberTensor, seededRandom, stringTensor, tensorValue } from '#testing';

/** A non-scalar value, as it was logged. */
export interface LoggedMedia {
  readonly tag: string;
  /** Serialized `Summary.Value`. */
  readonly bytes: Uint8Array;
  /** The expected content: {@link tensorContent} or {@link blobsContent}. */
  readonly content: string;
  /** The tensor in `content`, including texts; otherwise null. */
  readonly tensor: JsonTensor | null;
  /** The blobs of an image in order; otherwise empty. */
  readonly blobs: readonly Buffer[];
}

/** A tensor in the API's form. */
export interface JsonTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly unknown[];
}

/** Returns a tensor as a string, for comparison. */
export function tensorContent({ dtype, shape, data }: JsonTensor): string {
  return `${dtype} [${shape.join()}] ${createHash('sha256').update(JSON.stringify(data)).digest('hex')}`;
}

/**
 * Returns a sequence of blobs as a string, for comparison. `sha256` has the hash of each blob in
 * hexadecimal, null for a missing blob.
 */
export function blobsContent(sha256: readonly (string | null)[]): string {
  return `blobs ${sha256.join()}`;
}

/**
 * Rows of a histogram (left, right, count). The larger kind exceeds the 16 KiB limit of a database
 * row and becomes an object.
 */
const histogramRows = { usual: 8, large: 700 };
/** Pixels along each side. */
const imageSides = { usual: 6, large: 90 };
/** Probability that a histogram or an image is large. */
const largeShare = 0.12;
/**
 * The number of images that all files of a seed share, and the probability of using one: blobs with
 * the same content are stored as one object.
 */
const shared = { pictures: 3, share: 0.3 };

/** An infinite sequence of histograms, texts and images for a file, in turn. */
export function* mediaOf(seed: number, fileNumber: number): Generator<LoggedMedia> {
  const random = seededRandom(seed * 999_983 + fileNumber);
  for (let n = 0; ; n++) {
    yield histogram(random, n);
    yield text(random, fileNumber, n);
    yield image(random, seed);
  }
}

function histogram(random: () => number, n: number): LoggedMedia {
  const rows = random() < largeShare ? histogramRows.large : histogramRows.usual;
  const values = Float64Array.from({ length: rows * 3 }, (_, i) => (i % 3 === 2 ? Math.floor(random() * 1_000) : random() * 2 - 1));
  values[2] = n; // No two values of a file are equal.
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

/** Returns an image as TF2's writers encode it: width, height and PNG, as three blobs. */
function image(random: () => number, seed: number): LoggedMedia {
  const isShared = random() < shared.share;
  const pixels = isShared ? seededRandom(seed * 31 + Math.floor(random() * shared.pictures)) : random;
  const side = pixels() < largeShare ? imageSides.large : imageSides.usual;
  const blobs = [Buffer.from(String(side)), Buffer.from(String(side)), greyPng(side, pixels)];
  return {
    tag: 'media/picture',
    bytes: tensorValue('media/picture', 'images', 'blob_sequence', stringTensor(blobs)),
    content: blobsContent(blobs.map((blob) => createHash('sha256').update(blob).digest('hex'))),
    tensor: null,
    blobs,
  };
}

/**
 * Returns a square PNG of random gray pixels, eight bits each (W3C PNG, 11.2: IHDR, IDAT, IEND).
 */
function greyPng(side: number, random: () => number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8; // Bits; the color type 0 is grayscale.
  const lines = Buffer.alloc(side * (side + 1)); // Each line starts with 0, "no filter".
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
