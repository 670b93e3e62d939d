import { z } from 'zod';
import { key } from './key.ts';

/** What the service says about itself, on stderr. */
export const telemetryConcern = {
  logLevel: key({
    name: 'PLOTLINE_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    type: '`debug`, `info`, `warn`, `error` or `silent`',
    default: 'info',
    about: 'The least important messages that are written.',
  }),
  logFormat: key({
    name: 'PLOTLINE_LOG_FORMAT',
    schema: z.enum(['auto', 'text', 'json']).default('auto'),
    type: '`auto`, `text` or `json`',
    default: 'auto',
    about: 'Lines for people, or one JSON object a line; `auto` is text on a terminal and JSON elsewhere.',
  }),
};
