export { createLogger, type LogFields, type Logger, type LoggerOptions } from './logger.ts';
