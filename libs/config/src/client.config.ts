import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl } from './values.ts';

/** How the command line finds its server. */
export const clientConcern = {
  server: key({
    name: 'PLOTLINE_SERVER',
    schema: httpUrl.optional(),
    type: 'URL',
    about: 'The server that `plotline` talks to; without it, the one of the data folder or of `plotline login`.',
  }),
  token: key({
    name: 'PLOTLINE_TOKEN',
    schema: z.string().optional(),
    type: 'secret',
    about: 'The token that `plotline` sends; without it, the stored one, which goes only to the server that it was stored with.',
  }),
};
