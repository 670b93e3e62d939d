import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

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
  metricsPort: key({
    name: 'PLOTLINE_METRICS_PORT',
    schema: wholeNumber(0, 65_535).optional(),
    type: 'whole number',
    about: 'The port of `/metrics`, which has nothing else; 0 for any free one, not set: there are no metrics to be read.',
  }),
  metricsHost: key({
    name: 'PLOTLINE_METRICS_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about: 'The address that `/metrics` is served on; one that others reach needs PLOTLINE_METRICS_TOKEN.',
  }),
  metricsToken: key({
    name: 'PLOTLINE_METRICS_TOKEN',
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    type: 'secret',
    about: 'What `/metrics` wants as a bearer token; without it, it asks for none and is served on this machine only.',
  }),
  failpoints: key({
    name: 'PLOTLINE_FAILPOINTS',
    schema: z.string().optional(),
    type: 'list',
    about:
      'For tests of failures only: faults that the service is to do to itself, e.g. `after-claim=kill:0.1`. Never set it where data matter.',
  }),
};
