export { createEmptyDatabase, createTestDatabase, describeWith } from './test-database.ts';
export type { TestDatabase } from './template-database.ts';
export { type Part, parts, requiredParts } from './parts.ts';
export { encodeEvent, type EventSpec, writeEventFile } from './event-file-writer.ts';
export { seededRandom } from './seeded-random.ts';
export { bytesField, doubleField, floatField, join as joinBytes, stringField, varintField } from './protobuf-writer.ts';
export { type PrivateRedis, startRedis } from './private-redis.ts';
export { testRedisUrl } from './test-redis-url.ts';
