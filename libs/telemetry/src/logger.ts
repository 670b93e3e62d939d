import { pino } from 'pino';
import { redact, redactText } from './redact.ts';
import { textLine } from './text-line.ts';

/** Details of a message: ids, counts, an error under `err`. Secrets in them are hidden. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A logger. Messages are fixed sentences; variable parts go into the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns the same logger with fields added to each message. */
  child(fields: LogFields): Logger;
}

/** Options of a logger. */
export interface LoggerOptions {
  /** The lowest level of messages to log. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `text`: for people; `json`: one object per line; `auto`: text if stderr is a terminal. */
  readonly format: 'auto' | 'text' | 'json';
  /** Current fields, e.g. the id of the current request; called for each message. */
  readonly context?: () => LogFields;
  /**
   * Writes one line including its line feed; stderr by default. Synchronous, so nothing is lost
   * when the process ends.
   */
  readonly write?: (line: string) => void;
}

/** A logger to stderr, because stdout is for the results of commands. */
export function createLogger(options: LoggerOptions): Logger {
  const text = options.format === 'text' || (options.format === 'auto' && process.stderr.isTTY);
  const write = options.write ?? toStderr();
  const logger = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => error }, // redact has already converted it
      mixin: () => ({ ...options.context?.() }),
    },
    { write: (line: string) => write(text ? textLine(JSON.parse(line) as Record<string, unknown>) : line) },
  );
  return wrap(logger);
}

function wrap(logger: pino.Logger): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (logger.isLevelEnabled(level)) logger[level](redact(fields ?? {}) as LogFields, redactText(message));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => wrap(logger.child(redact(fields) as Record<string, unknown>)),
  };
}

function toStderr(): (line: string) => void {
  const stderr = pino.destination({ fd: 2, sync: true });
  return (line) => void stderr.write(line);
}
