import { createHash } from 'node:crypto';
import { crc32cHex, type ExperimentId, type FileId, type RunName, type TagName } from '#model';
import { type Api, contentOf, copyOf } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { asArray, asObject, crcField, fileIdField, intField, type Json, stringField } from '../http/json.ts';

/** One version of a file in the receipt: the data that the service guarantees to have. */
export interface ReceiptFile {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: number;
  /** CRC-32C of the downloadable bytes; null if they are not kept. */
  readonly contentCrc32c: number | null;
  /** Whether points of the file were deleted, and the file is kept without them. */
  readonly rewritten: boolean;
  /** Complete records that were read, including skipped records. */
  readonly records: number;
  /** The number of leading records that were read although their data checksums are wrong. */
  readonly unverified: number;
  /**
   * Id of the run's file that begins with all bytes of this file; null if this file is not a copy.
   */
  readonly copyOf: FileId | null;
  /** Whether a newer version of the file was ingested. */
  readonly replaced: boolean;
}

/** The service's counts for one series. `points`: all points, including superseded points. */
export interface ReceiptSeries {
  readonly run: RunName;
  readonly tag: TagName;
  readonly dataClass: string;
  readonly points: number;
  readonly superseded: number;
}

/** An unreadable part of a file, which was skipped or ends the file. */
export interface ReceiptProblem {
  readonly run: RunName;
  readonly file: string;
  readonly version: number;
  readonly offset: number;
  readonly reason: string;
}

/** The received and the ingested data of an experiment. */
export interface Receipt {
  readonly files: readonly ReceiptFile[];
  readonly series: readonly ReceiptSeries[];
  readonly problems: readonly ReceiptProblem[];
  /** Blobs in all blob sequences; null if the service did not report it. */
  readonly blobs: number | null;
  /**
   * SHA-256 in hex as computed by the service; null if the receipt was too large for one response.
   */
  readonly digest: string | null;
}

/**
 * Reads the receipt (api.md); a receipt that is too large for one response is assembled from its
 * lists.
 */
export async function readReceipt(api: Api, experimentId: ExperimentId): Promise<Receipt> {
  const path = `/experiments/${experimentId}`;
  let receipt: Json;
  try {
    receipt = await api.get(`${path}/receipt`, 'Reading the receipt');
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'answer-too-large') throw error;
    const read = <T>(list: string, field: string, to: (item: Json) => T) =>
      collect(api.pages(`${path}/${list}`, field, 'Reading the receipt'), to);
    return {
      files: await read('files', 'files', toFile),
      series: await read('series?unlisted=true', 'series', toSeries),
      problems: await read('problems', 'problems', toProblem),
      blobs: null,
      digest: null,
    };
  }
  const list = <T>(field: string, to: (item: Json) => T): T[] => asArray(receipt[field], field).map((item) => to(asObject(item, field)));
  return {
    files: list('files', toFile),
    series: list('series', toSeries),
    problems: list('problems', toProblem),
    blobs: intField(asObject(receipt['totals'], 'totals'), 'blobs'),
    digest: stringField(receipt, 'digest'),
  };
}

/**
 * SHA-256 over lines `run NUL name NUL version NUL bytes NUL crc32c LF`, sorted by bytes (api.md,
 * receipt).
 */
export function receiptDigest(files: readonly ReceiptFile[]): string {
  const lines = files.map((file) => Buffer.from(`${file.run}\0${file.name}\0${file.version}\0${file.bytes}\0${crc32cHex(file.crc32c)}\n`));
  const hash = createHash('sha256');
  for (const line of lines.sort(Buffer.compare)) hash.update(line);
  return hash.digest('hex');
}

function toFile(file: Json): ReceiptFile {
  return {
    fileId: fileIdField(file, 'file_id'),
    run: stringField(file, 'run'),
    name: stringField(file, 'name'),
    version: intField(file, 'version'),
    bytes: intField(file, 'bytes'),
    crc32c: crcField(file, 'crc32c'),
    ...contentOf(file),
    records: intField(file, 'records'),
    unverified: file['unverified_records'] === undefined ? 0 : intField(file, 'unverified_records'),
    copyOf: copyOf(file),
    replaced: file['replaced'] === true,
  };
}

function toSeries(series: Json): ReceiptSeries {
  const superseded = intField(series, 'superseded_points');
  return {
    run: stringField(series, 'run'),
    tag: stringField(series, 'tag'),
    dataClass: stringField(series, 'data_class'),
    points: intField(series, 'points') + superseded,
    superseded,
  };
}

function toProblem(problem: Json): ReceiptProblem {
  return {
    run: stringField(problem, 'run'),
    file: stringField(problem, 'file'),
    version: intField(problem, 'version'),
    offset: intField(problem, 'offset'),
    reason: stringField(problem, 'reason'),
  };
}

async function collect<T>(items: AsyncIterable<Json>, to: (item: Json) => T): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(to(item));
  return all;
}
