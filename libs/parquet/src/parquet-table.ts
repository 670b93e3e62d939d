import zlib from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { BooleanRows, type Cells, type ColumnRows, DictionaryRows, Float64Rows, Int64Rows, writeColumnChunk } from './column-chunk.ts';

/** A column; none of its cells is empty. */
export interface ParquetColumn {
  readonly name: string;
  readonly kind: 'text' | 'int32' | 'int64' | 'float64' | 'boolean';
}

/** Rows per row group; a group is kept in memory until it is full. */
const groupRows = 131_072;

/**
 * Writes a table as a Parquet file, row group by row group. Each call returns the next bytes to
 * write. Needs memory for one row group, for tables of any size. Numbers are exact: steps as
 * differences, floats split into byte planes, names as a dictionary, everything compressed with
 * Zstandard, or with gzip where Node lacks it.
 */
export class ParquetTable {
  readonly #bytes = new ByteWriter(1024 * 1024);
  readonly #writer: ParquetWriter;
  readonly #columns: readonly { readonly name: string; readonly rows: ColumnRows }[];
  #rows = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns.map(({ name, kind }) => ({ name, rows: rowsOf(kind) }));
    const elements = this.#columns.map(({ name, rows }) => ({ name, repetition_type: 'REQUIRED', ...rows.type }) as const);
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...elements],
      createdBy: 'plotline',
    });
  }

  /** Adds rows; `cells` has an entry per column. Returns the next bytes of the file. */
  add(rows: number, cells: readonly Cells[]): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < rows;) {
      const count = Math.min(rows - from, groupRows - this.#rows);
      for (const [i, column] of this.#columns.entries()) column.rows.put(this.#rows, cells[i]!, from, count);
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

  /**
   * The library writes the file around the row groups; its own code for columns takes three times
   * as long.
   */
  #endGroup(): Uint8Array {
    const [rows, start] = [this.#rows, this.#bytes.offset];
    const columns = this.#columns.map(({ name, rows: column }) =>
      writeColumnChunk(this.#bytes, { name, type: column.type }, rows, column.encode(rows), compression),
    );
    this.#writer.row_groups.push({
      columns,
      num_rows: BigInt(rows),
      total_byte_size: columns.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n),
      total_compressed_size: BigInt(this.#bytes.offset - start),
    });
    this.#writer.num_rows += BigInt(rows);
    this.#rows = 0;
    return this.#take();
  }

  #take(): Uint8Array {
    const piece = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return piece;
  }
}

function rowsOf(kind: ParquetColumn['kind']): ColumnRows {
  switch (kind) {
    case 'text':
    case 'int32':
      return new DictionaryRows(kind, groupRows);
    case 'int64':
      return new Int64Rows(groupRows);
    case 'float64':
      return new Float64Rows(groupRows);
    case 'boolean':
      return new BooleanRows(groupRows);
  }
}

/** Not available before Node 22.15. */
const hasZstandard = typeof zlib.zstdCompressSync === 'function';

/** Level 1, because higher levels take two to five times as long to save a few percent. */
function zstandard(bytes: Uint8Array): Uint8Array {
  return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } });
}

function gzip(bytes: Uint8Array): Uint8Array {
  return zlib.gzipSync(bytes, { level: 1 });
}

const compression = hasZstandard ? ({ codec: 'ZSTD', compress: zstandard } as const) : ({ codec: 'GZIP', compress: gzip } as const);
