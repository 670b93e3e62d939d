export type { ScalarRange } from './scalar-range.ts';
export { tableFormats, type TableFormat, tablePieces } from './table-pieces.ts';
