import { z } from 'zod';

/** Query of `GET /files/{id}/content`. */
export const contentQuery = z.strictObject({
  experiment: z.string().max(100).optional().meta({ description: 'Required for visitors: the experiment of the file.' }),
});
