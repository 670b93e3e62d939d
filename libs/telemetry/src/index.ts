export { createLogger, type LogFields, type Logger, type LoggerOptions } from './logger.ts';
export { armFailpoints, failpoint, type FailpointName, failpoints, isLeftOut, type Safeguard, safeguards } from './failpoint.ts';
