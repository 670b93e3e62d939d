export { snappyCompress } from 'hyparquet-writer/src/snappy.js';
export { snappyUncompress } from 'hyparquet';
export { type Cells, type ParquetColumn, ParquetTable } from './parquet-table.ts';
