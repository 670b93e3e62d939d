import type { Config } from '#config';
import { type Dispatcher, InProcessDispatcher } from '#jobs';
import type { Logger } from '#telemetry';
import type { Lifetime } from './lifetime.ts';

/** The queue between processes. */
export async function openQueue(config: Config, logger: Logger, lifetime: Lifetime): Promise<Dispatcher> {
  const dispatcher = new InProcessDispatcher(config.ingest.groupMs, (error, job) =>
    logger.error('an ingest job failed', { err: error, runId: job.runId }),
  );
  lifetime.onStop(() => dispatcher.close());
  return dispatcher;
}
