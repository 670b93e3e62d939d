import { z } from 'zod';

/** The limit of a link's name, as for `checkText`. */
export const maxLinkNameCharacters = 100;

/** The name of a new link. */
export const linkName = z
  .string()
  .max(maxLinkNameCharacters)
  .default('')
  .meta({ description: 'A note for the workspace; visitors do not see it.' });

/** The lifetime of a new link. */
export const linkExpiry = z
  .int()
  .min(1)
  .max(3_650)
  .nullable()
  .default(90)
  .meta({ description: 'Null means that the link does not expire.' });
