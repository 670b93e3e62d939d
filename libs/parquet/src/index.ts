export { type Cells, type ParquetColumn, ParquetTable } from './parquet-table.ts';
