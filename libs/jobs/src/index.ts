export { assertQueueRedis } from './assert-queue-redis.ts';
export { BullMqDispatcher, type BullMqDispatcherOptions, type DispatcherCounts } from './bullmq-dispatcher.ts';
export { Dispatcher, type IngestHandler } from './dispatcher.ts';
export { InProcessDispatcher } from './in-process-dispatcher.ts';
export { ingestRunJob, type IngestOutcome, type IngestRun } from './ingest-run.job.ts';
export type { RedisAddress } from './redis-address.ts';
export { RedisTokens } from './redis-tokens.ts';
export { Sweeper, type SweeperOptions } from './sweeper.ts';
