export { assertQueueRedis } from './assert-queue-redis.ts';
export { BullMqDispatcher } from './bullmq-dispatcher.ts';
export { Dispatcher } from './dispatcher.ts';
export { InProcessDispatcher } from './in-process-dispatcher.ts';
export { type IngestOutcome, type IngestRun } from './ingest-run.job.ts';
export type { RedisAddress } from './redis-address.ts';
export { RedisTokens } from './redis-tokens.ts';
export { Sweeper } from './sweeper.ts';
