import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl, wholeNumber } from './values.ts';

/** Where the service listens, and how it is called from outside. */
export const serverConcern = {
  host: key({
    name: 'PLOTLINE_HOST',
    schema: z.string().default('127.0.0.1'),
    type: 'address',
    default: '127.0.0.1',
    about: 'The address that the service listens on; `0.0.0.0` or `::` for all of them.',
  }),
  port: key({
    name: 'PLOTLINE_PORT',
    schema: wholeNumber(0, 65_535).default(6100),
    type: 'whole number',
    default: '6100',
    about: 'The port that the service listens on; 0 for any free one.',
  }),
  publicUrl: key({
    name: 'PLOTLINE_PUBLIC_URL',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The address that stands in links to experiments; without it, `http://` with host and port.',
  }),
};
