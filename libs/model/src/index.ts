export { crc32cDigest, crc32cHex } from './crc32c-text.ts';
export type { DataClass } from './data-class.ts';
export { dataClasses } from './data-class.ts';
export { limits } from './limits.ts';
export { Problem, type ProblemCode, problemCodes, type Quota } from './problem.ts';
export type { PointColumns } from './point-columns.ts';
export { emptyPoints } from './point-columns.ts';
export type { BlobSequenceValue, FileBatch, FileProblem, SeriesBatch, SeriesMeta, SessionStart, TensorValue } from './file-batch.ts';
export { compareLogOrder, type FilePlace } from './log-order.ts';
