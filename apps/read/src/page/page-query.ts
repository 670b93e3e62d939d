import { z } from 'zod';
import { limits } from '#model';
import { flag, pageToken, textUpTo } from '../query-schemas.ts';

const plain = flag.optional().meta({ description: 'Tables, for browsers without scripts.' });

/** Parameters of the page of an experiment that are not part of the view. */
export const plainQuery = z.object({ plain });

/** Parameters of the first page. */
export const homeQuery = z.strictObject({
  plain,
  page_token: pageToken.optional(),
  q: textUpTo(1_000).optional().meta({ description: "Text in the names of experiments; the page's script requests them." }),
  label: textUpTo(limits.maxExperimentNameCharacters).optional().meta({ description: 'Only experiments with this label.' }),
  archived: textUpTo(10).optional().meta({ description: '`true`: include archived experiments.' }),
  column: z
    .union([textUpTo(100), z.array(textUpTo(100)).max(100)])
    .optional()
    .meta({ description: 'Columns of the list; empty: only the name.' }),
  sort: textUpTo(100).optional().meta({ description: 'Sort order: `created`, `name`, `owner` or `received`; prefix `-` for descending.' }),
});
