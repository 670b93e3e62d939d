import { z } from 'zod';
import { flag } from '../query-schemas.ts';

const plain = flag.optional().meta({ description: 'Tables, for browsers without script.' });

/** Parameters of the page of an experiment that are not the view's. */
export const plainQuery = z.object({ plain });

/** Parameters of the first page. */
export const homeQuery = z.strictObject({
  plain,
  page_token: z.string().optional(),
  q: z.string().optional().meta({ description: 'What the names of experiments contain; the page asks for those itself.' }),
  label: z.string().optional().meta({ description: 'A label that they have.' }),
  archived: z.string().optional().meta({ description: '`true`: what is archived, too.' }),
  column: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description: 'What is told of each; empty: nothing but its name.' }),
  sort: z
    .string()
    .optional()
    .meta({ description: 'Their order: `created`, `name`, `owner` or `received`, `-` before it for the other way round.' }),
});
