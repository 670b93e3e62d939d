import { pino } from 'pino';
import { redact, redactText } from './redact.ts';
import { textLine } from './text-line.ts';

/** More about a message: ids, counts, an error under `err`. Secrets in it are hidden. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a part of the service says what happened. Messages are fixed sentences; what varies goes into the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same logger with fields that each of its messages gets. */
  child(fields: LogFields): Logger;
}

/** How a logger writes, and what. */
export interface LoggerOptions {
  /** The lowest level of messages to log. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `text`: a line for people; `json`: an object a line; `auto`: text when stderr is a terminal. */
  readonly format: 'auto' | 'text' | 'json';
  /** Fields that belong to the moment, e.g. the id of the request that is being served; asked at each message. */
  readonly context?: () => LogFields;
  /** Takes one line with its line feed; stderr by default. Written at once, so nothing is lost when the process ends. */
  readonly write?: (line: string) => void;
}

/** A logger to stderr: stdout belongs to what a command was asked for. */
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
      serializers: { err: (error: unknown) => error }, // redact has made it plain
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
