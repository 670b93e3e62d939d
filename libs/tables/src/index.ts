export type { ScalarRange, TableColumns } from './scalar-range.ts';
export { tableFormats, type TableFormat, type TableOptions, tablePieces } from './table-pieces.ts';
