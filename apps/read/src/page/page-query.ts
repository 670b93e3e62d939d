import { z } from 'zod';
import { limits } from '#model';
import { flag, pageToken, urlText } from '../query-schemas.ts';

const plain = flag.optional().meta({ description: 'Tables, for browsers without scripts.' });

/** Parameters of an experiment's page that are not part of the view. */
export const plainQuery = z.object({ plain });

/** Parameters of the home page. */
export const homeQuery = z.strictObject({
  plain,
  page_token: pageToken.optional(),
  q: urlText(1_000).optional().meta({ description: "Only experiments with this text in their names; the page's script requests them." }),
  label: urlText(limits.maxExperimentNameCharacters).optional().meta({ description: 'Only experiments with this label.' }),
  archived: urlText(10).optional().meta({ description: '`true`: include archived experiments.' }),
  starred: urlText(10).optional().meta({ description: '`true`: only experiments with a star.' }),
  column: z
    .union([urlText(100), z.array(urlText(100)).max(100)])
    .optional()
    .meta({ description: 'Columns of the list. If empty, only the name is shown.' }),
  sort: urlText(100).optional().meta({ description: 'Sort order: `created`, `name`, `owner` or `received`; prefix `-` for descending.' }),
});
