import zlib from 'node:zlib';
import { type FileMetaData, parquetMetadataAsync, parquetRead, type SchemaElement } from 'hyparquet';

/** A file that can be read in parts. */
export interface ParquetSource {
  readonly byteLength: number;
  /** The bytes `[start, end)`. */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/**
 * Some rows of a Parquet file: the cells of each column. 64-bit integers are bigints; times are
 * seconds.
 */
export interface ParquetRows {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, ArrayLike<unknown>>;
}

/** Reads a Parquet file from any writer, row group by row group. Needs memory for one row group. */
export class ParquetFile {
  readonly #source: ParquetSource;
  readonly #metadata: FileMetaData;

  private constructor(source: ParquetSource, metadata: FileMetaData) {
    this.#source = source;
    this.#metadata = metadata;
  }

  /** Reads the footer; throws if it is invalid. */
  static async open(source: ParquetSource): Promise<ParquetFile> {
    return new ParquetFile(source, await parquetMetadataAsync(source, { geoparquet: false }));
  }

  /** Names of the top-level columns. */
  get columns(): readonly string[] {
    const names: string[] = [];
    const elements = this.#metadata.schema;
    for (let at = 1; at < elements.length; at = afterElement(elements, at)) names.push(elements[at]!.name);
    return names;
  }

  /** Codecs of columns that {@link rows} cannot decompress. */
  get unsupportedCodecs(): readonly string[] {
    const codecs = this.#metadata.row_groups.flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data?.codec ?? 'UNCOMPRESSED'));
    return [...new Set(codecs)].filter((codec) => !(codec in compressors) && codec !== 'UNCOMPRESSED' && codec !== 'SNAPPY');
  }

  /** All rows of these columns, in order. */
  async *rows(columns: readonly string[]): AsyncGenerator<ParquetRows> {
    let rowStart = 0;
    for (const group of this.#metadata.row_groups) {
      const rows = Number(group.num_rows);
      const cells = new Map<string, unknown[]>(columns.map((name) => [name, []]));
      await parquetRead({
        file: this.#source,
        metadata: this.#metadata,
        columns: [...columns],
        rowStart,
        rowEnd: rowStart + rows,
        compressors,
        parsers,
        geoparquet: false,
        onChunk: ({ columnName, columnData }) => {
          const into = cells.get(columnName);
          if (into) for (let i = 0; i < columnData.length; i++) into.push(columnData[i]);
        },
      });
      for (const [name, { length }] of cells)
        if (length !== rows) throw new Error(`column ${name} has ${length} cells in a row group of ${rows} rows`);
      yield { rows, columns: cells };
      rowStart += rows;
    }
  }
}

/** In seconds: as floats, they have microsecond precision until the year 2242. */
const parsers = {
  timestampFromMilliseconds: (value: bigint) => Number(value) / 1e3,
  timestampFromMicroseconds: (value: bigint) => Number(value) / 1e6,
  timestampFromNanoseconds: (value: bigint) => Number(value / 1_000_000_000n) + Number(value % 1_000_000_000n) / 1e9,
  dateFromDays: (days: number) => days * 86_400,
};

/** Snappy is built in. */
const compressors = {
  GZIP: (bytes: Uint8Array) => zlib.gunzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => zlib.brotliDecompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zlib.zstdDecompressSync(bytes),
};

function afterElement(elements: readonly SchemaElement[], at: number): number {
  let next = at + 1;
  for (let child = elements[at]!.num_children ?? 0; child > 0; child--) next = afterElement(elements, next);
  return next;
}
