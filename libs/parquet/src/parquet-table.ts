import zlib from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** A column; none of its cells is empty. */
export interface ParquetColumn {
  readonly name: string;
  readonly kind: 'text' | 'int32' | 'int64' | 'float64' | 'boolean';
}

/** The cells of some rows: one value for all of them, or a list. */
export type Cells = string | number | boolean | bigint | ArrayLike<string> | ArrayLike<number> | ArrayLike<bigint> | ArrayLike<boolean>;

/** Rows of a row group; a group is in memory until it is full. */
const groupRows = 131_072;

type Column = string[] | Int32Array | BigInt64Array | Float64Array | boolean[];

/**
 * Writes a table as a Parquet file, row group by row group. Each call returns the bytes that the
 * caller writes next; the memory needed is that of one row group, whatever the size of the table.
 * Numbers are kept bit by bit: steps as differences, floats split into planes of bytes, names as a
 * dictionary, everything compressed with Zstandard, or with gzip where Node lacks it.
 */
export class ParquetTable {
  readonly #columns: readonly ParquetColumn[];
  readonly #bytes = new ByteWriter(1024 * 1024);
  readonly #writer: ParquetWriter;
  #group: Column[];
  #rows = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)];
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema,
      codec: hasZstandard ? 'ZSTD' : 'GZIP',
      compressors: { ZSTD: zstandard, GZIP: gzip },
      createdBy: 'plotline',
    });
    this.#group = columns.map(emptyColumn);
  }

  /** Adds rows; `cells` has an entry per column. Returns the next bytes of the file. */
  add(rows: number, cells: readonly Cells[]): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < rows;) {
      const count = Math.min(rows - from, groupRows - this.#rows);
      for (const [i, column] of this.#group.entries()) put(column, this.#rows, cells[i]!, from, count);
      this.#rows += count;
      from += count;
      if (this.#rows === groupRows) pieces.push(this.#endGroup());
    }
    return pieces;
  }

  /** Returns the last bytes of the file. */
  finish(): Uint8Array[] {
    const pieces = this.#rows > 0 ? [this.#endGroup()] : [];
    void this.#writer.finish();
    return [...pieces, this.#take()];
  }

  #endGroup(): Uint8Array {
    const rows = this.#rows;
    const columnData = this.#columns.map(({ name, kind }, i): ColumnSource => {
      const column = this.#group[i]!;
      const data = rows === groupRows ? column : column.slice(0, rows);
      // Only chosen encodings: a dictionary of floats would turn -0 into 0.
      return { name, data, encoding: encodings[kind], statistics: kind !== 'float64' };
    });
    void this.#writer.write({ columnData, rowGroupSize: groupRows });
    this.#rows = 0;
    return this.#take();
  }

  #take(): Uint8Array {
    const piece = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return piece;
  }
}

const encodings = {
  text: 'RLE_DICTIONARY',
  int32: 'RLE_DICTIONARY',
  int64: 'DELTA_BINARY_PACKED',
  float64: 'BYTE_STREAM_SPLIT',
  boolean: 'RLE',
} as const;

/** Not available before Node 22.15. */
const hasZstandard = typeof zlib.zstdCompressSync === 'function';

/** Level 1: higher ones take two to five times as long for a few percent. */
function zstandard(bytes: Uint8Array): Uint8Array {
  return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } });
}

function gzip(bytes: Uint8Array): Uint8Array {
  return zlib.gzipSync(bytes, { level: 1 });
}

function elementOf({ name, kind }: ParquetColumn): SchemaElement {
  const required = { name, repetition_type: 'REQUIRED' } as const;
  switch (kind) {
    case 'text':
      return { ...required, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'int32':
      return { ...required, type: 'INT32' };
    case 'int64':
      return { ...required, type: 'INT64' };
    case 'float64':
      return { ...required, type: 'DOUBLE' };
    case 'boolean':
      return { ...required, type: 'BOOLEAN' };
  }
}

function emptyColumn({ kind }: ParquetColumn): Column {
  switch (kind) {
    case 'text':
      return new Array<string>(groupRows).fill('');
    case 'int32':
      return new Int32Array(groupRows);
    case 'int64':
      return new BigInt64Array(groupRows);
    case 'float64':
      return new Float64Array(groupRows);
    case 'boolean':
      return new Array<boolean>(groupRows).fill(false);
  }
}

function put(column: Column, at: number, cells: Cells, from: number, count: number): void {
  if (typeof cells !== 'object') (column as unknown[]).fill(cells, at, at + count);
  else if (ArrayBuffer.isView(column) && ArrayBuffer.isView(cells)) {
    (column as Float64Array).set((cells as unknown as Float64Array).subarray(from, from + count), at);
  } else for (let i = 0; i < count; i++) (column as unknown[])[at + i] = cells[from + i];
}
