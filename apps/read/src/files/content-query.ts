import { z } from 'zod';

/** Query of `GET /files/{id}/content`. */
export const contentQuery = z.strictObject({
  experiment: z.string().max(100).optional().meta({ description: "The file's experiment. Required for visitors." }),
});
