export { createLogger, type LogFields, type Logger } from './logger.ts';
export { causeInBrief, inBrief, inFull } from './error-text.ts';
export { armFailpoints, failpoint, failpoints } from './failpoint.ts';
export {
  count,
  countCall,
  countShareRejection,
  countRejection,
  countRequest,
  gauge,
  gauges,
  gaugeTable,
  measureRound,
  type ObjectStoreAttempt,
  observeObjectStore,
  observePublishDelay,
  observeWait,
  passObservationsOn,
  renderMetrics,
  watchProcess,
} from './metrics.ts';
export { every, Rounds } from './rounds.ts';
export { startTracing } from './start-tracing.ts';
export {
  activeSpan,
  isTracing,
  noteStep,
  passStepsOn,
  type Span,
  type SpanAttributes,
  startSpan,
  type Step,
  type Tracer,
  useTracer,
} from './tracing.ts';
export { timeOfDayLessStopwatch } from './stopwatch.ts';
export { serviceVersion } from './version.ts';
