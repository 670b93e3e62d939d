import { z } from 'zod';
import { limits } from '#model';
import { flag, pageToken, textUpTo } from '../query-schemas.ts';

const plain = flag.optional().meta({ description: 'Tables, for browsers without script.' });

/** Parameters of the page of an experiment that are not the view's. */
export const plainQuery = z.object({ plain });

/** Parameters of the first page. */
export const homeQuery = z.strictObject({
  plain,
  page_token: pageToken.optional(),
  q: textUpTo(1_000).optional().meta({ description: 'What the names of experiments contain; the page asks for those itself.' }),
  label: textUpTo(limits.maxExperimentNameCharacters).optional().meta({ description: 'A label that they have.' }),
  archived: textUpTo(10).optional().meta({ description: '`true`: what is archived, too.' }),
  column: z
    .union([textUpTo(100), z.array(textUpTo(100)).max(100)])
    .optional()
    .meta({ description: 'What is told of each; empty: nothing but its name.' }),
  sort: textUpTo(100)
    .optional()
    .meta({ description: 'Their order: `created`, `name`, `owner` or `received`, `-` before it for the other way round.' }),
});
