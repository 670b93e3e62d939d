import type { Config } from '#config';
import { BullMqDispatcher, type Dispatcher } from '#jobs';
import type { Logger } from '#telemetry';
import type { Lifetime } from './lifetime.ts';
import { missing } from './missing.ts';

/** The queue between processes. Throws {@link StartFault} when no Redis is named; one that is away comes back by itself. */
export async function openQueue(config: Config, logger: Logger, lifetime: Lifetime): Promise<Dispatcher> {
  const dispatcher = new BullMqDispatcher({
    redisUrl: config.storage.redisUrl ?? missing('PLOTLINE_REDIS_URL'),
    groupMs: config.ingest.groupMs,
    onError: (error, job) => {
      if (job) logger.error('an ingest job failed', { err: error, runId: job.runId });
      else logger.warn('the queue cannot be used; what is acknowledged meanwhile is found by sweeping', { err: error });
    },
  });
  lifetime.onStop(() => dispatcher.close());
  return dispatcher;
}
