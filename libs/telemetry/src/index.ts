export { type Clock, systemClock } from './clock.ts';
export { createLogger, type LogFields, type Logger, type LoggerOptions, silentLogger } from './logger.ts';
