import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl } from './values.ts';

/** How the CLI finds its server. */
export const clientConcern = {
  server: key({
    name: 'PLOTLINE_SERVER',
    schema: httpUrl.optional(),
    type: 'URL',
    about:
      'The server that `plotline` uses. Default: the server from `plotline login`, otherwise your own service in `.plotline` in the working folder.',
  }),
  token: key({
    name: 'PLOTLINE_TOKEN',
    schema: z.string().optional(),
    type: 'secret',
    about:
      'The token that `plotline` sends to the server from `PLOTLINE_SERVER`, otherwise to the server from `plotline login`. It is never sent to a server that only a file in the working folder specifies. Default: the stored token, which is sent only to the server that issued it.',
  }),
};
