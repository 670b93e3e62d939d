export { snappyCompress } from 'hyparquet-writer/src/snappy.js';
export { snappyUncompress } from 'hyparquet';
export { type Cells } from './column-chunk.ts';
export { type ParquetColumn, ParquetTable } from './parquet-table.ts';
export { ParquetFile, type ParquetRows, type ParquetSource } from './parquet-file.ts';
