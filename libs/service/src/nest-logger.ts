import type { LoggerService } from '@nestjs/common';
import type { LogFields, Logger } from '#telemetry';

/**
 * Makes Nest and everything that logs through it use our logger. Nest's own startup messages have
 * the level `debug`. If the message is an object, its `message` becomes the log message, and its
 * other properties become fields.
 */
export function nestLogger(logger: Logger): LoggerService {
  const at =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...context: unknown[]): void => {
      const name = context.at(-1);
      const fields = typeof name === 'string' ? { context: name } : {};
      if (!isLine(message)) return logger[level](String(message), fields);
      const { message: sentence, ...more } = message;
      logger[level](sentence, { ...fields, ...more });
    };
  return { log: at('debug'), debug: at('debug'), verbose: at('debug'), warn: at('warn'), error: at('error'), fatal: at('error') };
}

function isLine(message: unknown): message is LogFields & { readonly message: string } {
  return (
    typeof message === 'object' &&
    message !== null &&
    !(message instanceof Error) &&
    'message' in message &&
    typeof message.message === 'string'
  );
}
