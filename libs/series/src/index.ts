export type { Admit } from './admit.ts';
export { floatValue, integerValue, type IntegerColumn, jsonFloat, jsonFloats, jsonInteger, jsonIntegers } from './json-numbers.ts';
export { readScalars } from './read-scalars.ts';
export { type Column, type ColumnName, columnNames, type ScalarAnswer, type SeriesAnswer } from './scalar-answer.ts';
export { scalarsArrow } from './scalar-arrow.ts';
export { scalarsCsv } from './scalar-csv.ts';
export { frontierJson, scalarsJson } from './scalar-json.ts';
export { type Sampling, samplings, type ScalarRequest, type SeriesSelection } from './scalar-request.ts';
export { noTail, type Place, type SeriesTail, tailsBySeries, type TailPiece } from './tail-points.ts';
