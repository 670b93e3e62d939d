export { createLogger, type LogFields, type Logger, type LoggerOptions } from './logger.ts';
export { causeInBrief, inBrief, inFull } from './error-text.ts';
export { armFailpoints, failpoint, type FailpointName, failpoints } from './failpoint.ts';
export {
  count,
  countCall,
  type CounterName,
  countRefusal,
  countRequest,
  gauge,
  gauges,
  observeWait,
  renderMetrics,
  watchProcess,
} from './metrics.ts';
export { timeOfDayLessStopwatch } from './stopwatch.ts';
