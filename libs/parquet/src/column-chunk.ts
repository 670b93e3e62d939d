import type { Encoding, ParquetType, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';

/** The cells of some rows: one value for all rows, or a list. */
export type Cells = string | number | boolean | bigint | ArrayLike<string> | ArrayLike<number> | ArrayLike<bigint> | ArrayLike<boolean>;

/** The least and the greatest value of a column. */
interface Ends {
  readonly min_value: string | number | bigint | boolean;
  readonly max_value: string | number | bigint | boolean;
}

/** The encoded rows of a column. */
interface EncodedColumn {
  readonly encoding: Encoding;
  readonly body: ByteWriter;
  /** The page of values to which the body refers by index, and their number. */
  readonly dictionary?: { readonly body: ByteWriter; readonly values: number };
  /** Absent for floats: readers treat NaN in statistics differently. */
  readonly ends?: Ends;
}

/** The rows of a column in the current row group. */
export interface ColumnRows {
  readonly type: Omit<SchemaElement, 'name'> & { readonly type: ParquetType };
  /** Writes cells `from` to `from + count` to the rows starting at `at`. */
  put(at: number, cells: Cells, from: number, count: number): void;
  /** Encodes the first rows and drops them. */
  encode(rows: number): EncodedColumn;
}

/** Names or small numbers: rows contain indexes into the row group's dictionary. */
export class DictionaryRows implements ColumnRows {
  readonly type: ColumnRows['type'];
  readonly #places: Int32Array;
  #dictionary = new Map<string | number, number>();

  constructor(kind: 'text' | 'int32', groupRows: number) {
    this.type = kind === 'text' ? { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } : { type: 'INT32' };
    this.#places = new Int32Array(groupRows);
  }

  put(at: number, cells: Cells, from: number, count: number): void {
    if (typeof cells !== 'object') this.#places.fill(this.#placeOf(cells as string), at, at + count);
    else for (let i = 0; i < count; i++) this.#places[at + i] = this.#placeOf(cells[from + i] as string);
  }

  encode(rows: number): EncodedColumn {
    const values = [...this.#dictionary.keys()];
    this.#dictionary = new Map();
    const dictionary = new ByteWriter();
    const isText = this.type.type === 'BYTE_ARRAY';
    writePlain(dictionary, isText ? (values as string[]).map((text) => Buffer.from(text)) : values, this.type.type, undefined);
    const body = new ByteWriter(rows);
    const bitWidth = Math.ceil(Math.log2(values.length));
    body.appendUint8(bitWidth);
    writeRleBitPackedHybrid(body, this.#places.subarray(0, rows), bitWidth);
    const sorted = isText ? (values as string[]).toSorted(byBytes) : (values as number[]).toSorted((a, b) => a - b);
    const ends = { min_value: sorted[0]!, max_value: sorted.at(-1)! };
    return { encoding: 'RLE_DICTIONARY', body, dictionary: { body: dictionary, values: values.length }, ends };
  }

  #placeOf(value: string | number): number {
    let place = this.#dictionary.get(value);
    if (place === undefined) this.#dictionary.set(value, (place = this.#dictionary.size));
    return place;
  }
}

/** Whole numbers: as differences. */
export class Int64Rows implements ColumnRows {
  readonly type = { type: 'INT64' } as const;
  readonly #values: BigInt64Array<ArrayBuffer>;
  readonly #small: Int32Array;

  constructor(groupRows: number) {
    this.#values = new BigInt64Array(groupRows);
    this.#small = new Int32Array(groupRows);
  }

  put(at: number, cells: Cells, from: number, count: number): void {
    putNumbers(this.#values, at, cells, from, count);
  }

  encode(rows: number): EncodedColumn {
    const small = this.#inInt32(rows);
    const body = new ByteWriter(rows);
    deltaBinaryPack(body, small ?? this.#values.subarray(0, rows), 'INT64');
    return { encoding: 'DELTA_BINARY_PACKED', body, ends: small ? smallEnds(small) : largeEnds(this.#values.subarray(0, rows)) };
  }

  /**
   * The same numbers as int32 if they all fit, because bigint arithmetic takes many times longer.
   */
  #inInt32(rows: number): Int32Array | null {
    const words = new Int32Array(this.#values.buffer, this.#values.byteOffset, rows * 2);
    const small = this.#small.subarray(0, rows);
    let isSmall = true;
    for (let i = 0; i < rows; i++) {
      const low = words[2 * i]!;
      small[i] = low;
      isSmall &&= words[2 * i + 1] === low >> 31;
    }
    return isSmall ? small : null;
  }
}

/** Floats: split into byte planes, which compress better, without loss. */
export class Float64Rows implements ColumnRows {
  readonly type = { type: 'DOUBLE' } as const;
  readonly #values: Float64Array<ArrayBuffer>;

  constructor(groupRows: number) {
    this.#values = new Float64Array(groupRows);
  }

  put(at: number, cells: Cells, from: number, count: number): void {
    putNumbers(this.#values, at, cells, from, count);
  }

  encode(rows: number): EncodedColumn {
    const bytes = new Uint8Array(this.#values.buffer, this.#values.byteOffset, rows * 8);
    const planes = new Uint8Array(rows * 8);
    for (let byte = 0; byte < 8; byte++) for (let i = 0, at = byte * rows; i < rows; i++) planes[at + i] = bytes[i * 8 + byte]!;
    const body = new ByteWriter(planes.length);
    body.appendBytes(planes);
    return { encoding: 'BYTE_STREAM_SPLIT', body };
  }
}

/** Booleans, as runs of equal values. */
export class BooleanRows implements ColumnRows {
  readonly type = { type: 'BOOLEAN' } as const;
  readonly #values: Uint8Array;

  constructor(groupRows: number) {
    this.#values = new Uint8Array(groupRows);
  }

  put(at: number, cells: Cells, from: number, count: number): void {
    if (typeof cells !== 'object') this.#values.fill(Number(cells), at, at + count);
    else for (let i = 0; i < count; i++) this.#values[at + i] = Number(cells[from + i]);
  }

  encode(rows: number): EncodedColumn {
    const values = this.#values.subarray(0, rows);
    const runs = new ByteWriter();
    writeRleBitPackedHybrid(runs, values, 1);
    const body = new ByteWriter(runs.offset + 4);
    body.appendUint32(runs.offset);
    body.appendBytes(runs.getBytes());
    return { encoding: 'RLE', body, ends: { min_value: !values.includes(0), max_value: values.includes(1) } };
  }
}

/** A codec of the file, and its compressor. */
interface Compression {
  readonly codec: 'ZSTD' | 'GZIP';
  readonly compress: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Writes the column chunk of a row group: its dictionary page, if it has one, and one page of rows.
 * Returns its metadata.
 */
export function writeColumnChunk(
  writer: ByteWriter,
  { name, type }: { readonly name: string; readonly type: ColumnRows['type'] },
  rows: number,
  { encoding, body, dictionary, ends }: EncodedColumn,
  { codec, compress }: Compression,
) {
  const start = writer.offset;
  let plainBytes = 0;
  if (dictionary) {
    const bytes = dictionary.body.getBytes();
    const packed = compress(bytes);
    writePageHeader(writer, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: bytes.length,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: dictionary.values, encoding: 'PLAIN' },
    });
    plainBytes += writer.offset - start + bytes.length;
    writer.appendBytes(packed);
  }
  const dataStart = writer.offset;
  const bytes = body.getBytes();
  const packed = compress(bytes);
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: bytes.length,
    compressed_page_size: packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: 0,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: 0,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  plainBytes += writer.offset - dataStart + bytes.length;
  writer.appendBytes(packed);
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: type.type,
      encodings: dictionary ? (['PLAIN', encoding] as Encoding[]) : [encoding],
      path_in_schema: [name],
      codec,
      num_values: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(plainBytes),
      data_page_offset: BigInt(dataStart),
      ...(dictionary && { dictionary_page_offset: BigInt(start) }),
      ...(ends && { statistics: { ...ends, null_count: 0n } }),
    },
  };
}

function putNumbers(column: BigInt64Array | Float64Array, at: number, cells: Cells, from: number, count: number): void {
  if (typeof cells !== 'object') (column as Float64Array).fill(cells as number, at, at + count);
  else if (ArrayBuffer.isView(cells)) (column as Float64Array).set((cells as unknown as Float64Array).subarray(from, from + count), at);
  else for (let i = 0; i < count; i++) column[at + i] = cells[from + i] as number;
}

/** Compares strings by their UTF-8 bytes, as readers compare statistics. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function smallEnds(values: Int32Array): Ends {
  let [min, max] = [values[0]!, values[0]!];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min_value: BigInt(min), max_value: BigInt(max) };
}

function largeEnds(values: BigInt64Array): Ends {
  let [min, max] = [values[0]!, values[0]!];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min_value: min, max_value: max };
}
