import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl } from './values.ts';

/** How the command line finds its server. */
export const clientConcern = {
  server: key({
    name: 'PLOTLINE_SERVER',
    schema: httpUrl.optional(),
    type: 'URL',
    about:
      'The server that `plotline` talks to; without it, the one of `plotline login`, else of a service of yours in `.plotline` of the working folder.',
  }),
  token: key({
    name: 'PLOTLINE_TOKEN',
    schema: z.string().optional(),
    type: 'secret',
    about:
      'The token that `plotline` sends to the server of `PLOTLINE_SERVER`, else of `plotline login`, never to one that only a file in the working folder names; without it, the stored token, which goes only to the server that it was stored with.',
  }),
};
