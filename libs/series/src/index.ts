export { floatValue, integerValue, type IntegerColumn, jsonFloat, jsonFloats, jsonInteger, jsonIntegers } from './json-numbers.ts';
export { experimentNotFound, readScalars } from './read-scalars.ts';
export type { Column, ColumnName, ScalarAnswer, SeriesAnswer } from './scalar-answer.ts';
export { columnNames } from './scalar-answer.ts';
export { frontierJson, scalarsJson } from './scalar-json.ts';
export { type Sampling, samplings, type ScalarRequest } from './scalar-request.ts';
