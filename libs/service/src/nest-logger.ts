import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#telemetry';

/**
 * Makes Nest and everything that logs through it use our logger. Nest's own startup messages have
 * the level `debug`.
 */
export function nestLogger(logger: Logger): LoggerService {
  const fields = (context: unknown[]): { context?: unknown } => {
    const name = context.at(-1);
    return typeof name === 'string' ? { context: name } : {};
  };
  return {
    log: (message: unknown, ...context: unknown[]) => logger.debug(String(message), fields(context)),
    debug: (message: unknown, ...context: unknown[]) => logger.debug(String(message), fields(context)),
    verbose: (message: unknown, ...context: unknown[]) => logger.debug(String(message), fields(context)),
    warn: (message: unknown, ...context: unknown[]) => logger.warn(String(message), fields(context)),
    error: (message: unknown, ...context: unknown[]) => logger.error(String(message), fields(context)),
    fatal: (message: unknown, ...context: unknown[]) => logger.error(String(message), fields(context)),
  };
}
