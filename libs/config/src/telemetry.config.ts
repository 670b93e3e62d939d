import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** Logs and metrics. */
export const telemetryConcern = {
  logLevel: key({
    name: 'PLOTLINE_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    type: '`debug`, `info`, `warn`, `error` or `silent`',
    default: 'info',
    about: 'The lowest level of messages to log.',
  }),
  logFormat: key({
    name: 'PLOTLINE_LOG_FORMAT',
    schema: z.enum(['auto', 'text', 'json']).default('auto'),
    type: '`auto`, `text` or `json`',
    default: 'auto',
    about: 'Text lines or one JSON object per line. `auto` is text on a terminal and JSON elsewhere.',
  }),
  metricsPort: key({
    name: 'PLOTLINE_METRICS_PORT',
    schema: wholeNumber(0, 65_535).optional(),
    type: 'whole number',
    about: 'The port for `/metrics`; 0 picks a free one. If it is not set, there are no metrics.',
  }),
  metricsHost: key({
    name: 'PLOTLINE_METRICS_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about: 'The address for `/metrics`. An address that other machines can reach requires PLOTLINE_METRICS_TOKEN.',
  }),
  metricsToken: key({
    name: 'PLOTLINE_METRICS_TOKEN',
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    type: 'secret',
    about: 'The bearer token for `/metrics`. Without it, no token is needed and only this machine can connect.',
  }),
  failpoints: key({
    name: 'PLOTLINE_FAILPOINTS',
    schema: z.string().optional(),
    type: 'list',
    about:
      'For failure tests only: faults that the service injects into itself, e.g. `after-claim=kill:0.1`. Never set it where data matters.',
  }),
};
