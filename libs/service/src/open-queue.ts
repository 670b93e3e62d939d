import type { Config } from '#config';
import { assertQueueRedis, BullMqDispatcher } from '#jobs';
import { gauge, gauges } from '#telemetry';
import { missing } from './missing.ts';
import type { Waiting } from './open-store.ts';
import { redisOf } from './redis-of.ts';
import { StartFault } from './start-fault.ts';

/**
 * Opens the queue between processes. Throws `ConfigFault` if no Redis is configured, and {@link
 * StartFault} if Redis may evict jobs. Waits if Redis is down.
 */
export async function openQueue(config: Config, { lifetime, logger }: Waiting): Promise<BullMqDispatcher> {
  const redis = redisOf(config) ?? missing('PLOTLINE_REDIS_URL');
  const { reachable, warning } = await assertQueueRedis(redis).catch((error: Error) => {
    throw new StartFault(error.message, { cause: error });
  });
  if (!reachable) logger.warn('Redis does not answer; uploads are still acknowledged, and the sweeper ingests them');
  if (warning !== null) logger.warn(warning);
  const dispatcher = new BullMqDispatcher({
    redis,
    groupMs: config.ingest.groupMs,
    onError: (error, job) => {
      if (job) logger.error('an ingest job failed', { err: error, runId: job.runId });
      else
        logger.warn('the queue is not available; the sweeper ingests what is acknowledged meanwhile', {
          err: error,
        });
    },
  });
  lifetime.onStop(() => dispatcher.close());
  gauges('plotline_queue_jobs', 'Operations of this process on the queue since its start.', 'what', () => ({ ...dispatcher.counts }));
  gauge('plotline_queue_up', 'Whether this process can use the queue; 0 while Redis is down or rejects commands.', () =>
    dispatcher.isDown ? 0 : 1,
  );
  return dispatcher;
}
