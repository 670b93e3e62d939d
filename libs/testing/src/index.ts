export { createEmptyDatabase, createTestDatabase, describeWith } from './test-database.ts';
export type { TestDatabase } from './template-database.ts';
export { tableRows } from './table-rows.ts';
export { findChromium } from './chromium.ts';
export { type Part, parts, requiredParts } from './parts.ts';
export { encodeEvent, type EventSpec, writeEventFile } from './event-file-writer.ts';
export { nodeArgumentsOf } from './npm-script.ts';
export { freePort } from './left-behind.ts';
export { findVersitygw } from './versitygw.ts';
export { prometheusProgram } from './prometheus-programs.ts';
export { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';
export { readAround } from './read-around.ts';
export { seededRandom } from '#model';
export { bytesField, doubleField, floatField, join as joinBytes, stringField, varintField } from './protobuf-writer.ts';
export { numberTensor, stringTensor, tensorValue } from './summary-values.ts';
export { type PrivateRedis, startRedis } from './private-redis.ts';
export { testRedisUrl } from './test-redis-url.ts';
export { type PrivateS3, startS3 } from './private-s3.ts';
export type { TestBucket } from './s3-bucket.ts';
export { createTestBucket } from './test-bucket.ts';
export {
  committedSqlFolder,
  describedColumns,
  describedForm,
  fileOf,
  type ResultColumn,
  reviewForm,
  statementName,
  statementsOf,
} from './sql-review.ts';
