export { snappyCompress } from 'hyparquet-writer/src/snappy.js';
export { snappyUncompress } from 'hyparquet';

export { ParquetTable } from './parquet-table.ts';
export { ParquetFile, type ParquetSource } from './parquet-file.ts';
