import { z } from 'zod';
import { limits } from '#model';

/** A name that series or runs are looked up by. Postgres has no text with NUL, so no name of ours has one. */
export const lookUpName = z
  .string()
  .max(limits.maxTagBytes)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'has characters that no name can have');

/** A query parameter that may be given once or several times: any of these. */
export const anyOf = z.union([lookUpName.transform((one) => [one]), z.array(lookUpName).max(limits.maxNamesPerQuery)]).optional();

/**
 * A text of the caller's. `most` is in characters (code points), as in JSON Schema; where the text is stored, #experiments counts them and says how many are
 * too many.
 */
export const textUpTo = (most: number, least = 0) => z.string().meta({ maxLength: most, ...(least > 0 && { minLength: least }) });

/** Labels, as #experiments checks them. */
export const labels = z.array(textUpTo(limits.maxExperimentNameCharacters, 1)).max(limits.maxLabels);

/** What a list gave as `next_page_token`: a sort key in it may be a name of several kilobytes, with escapes. */
export const pageToken = z.string().max(100_000);

/** Scopes as OAuth writes them (RFC 6749, 3.3), for the document; other words get the problem of OAuth. */
export const scopePattern = '^(read|upload|manage|admin)( (read|upload|manage|admin))*$';

/** A path of this service to go on at. */
export const nextPath = z.string().max(8_192).optional().meta({ description: 'A path of this service to go on at.' });

/** Whole numbers in a body, of bytes or points: as many as float64 holds exactly. */
export const wholeCount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A flag in an address; `?flag` alone is true. */
export const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1' || text === '');

/** `page_size` and `page_token` of every list. */
export const paging = {
  page_size: z
    .string()
    .max(15)
    .regex(/^0{0,14}[1-9][0-9]{0,14}$/, 'should be a whole number of at least 1')
    .transform(Number)
    .optional(),
  page_token: pageToken.optional(),
};

/** Seconds in an address, with a fraction or without. */
export const seconds = z
  .string()
  .max(13)
  .regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/, 'should be a number of seconds')
  .transform(Number);

/** A number of an epoch: from 0, in an address or a body. None will ever need more digits than a float64 has. */
export const epochNumber = z
  .union(
    [
      z.int().min(0).max(Number.MAX_SAFE_INTEGER),
      z
        .string()
        .max(15)
        .regex(/^[0-9]{1,15}$/, 'should be the number of an epoch'),
    ],
    'should be the number of an epoch',
  )
  .transform(Number);

/** Longer than the service waits is lowered, never refused. */
export const waitSeconds = z
  .number()
  .min(0)
  .max(1e9)
  .transform((asked) => Math.min(asked, limits.maxWaitSeconds));

/** `wait_for` and `timeout` of every query: it is answered once that epoch is visible, or refused after so many seconds. */
export const waiting = { wait_for: epochNumber.optional(), timeout: seconds.pipe(waitSeconds).optional() };

/** The query of what takes nothing else. */
export const onlyWaiting = z.strictObject(waiting);
