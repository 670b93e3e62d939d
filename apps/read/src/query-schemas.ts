import { z } from 'zod';
import { limits } from '#model';

/**
 * A name by which series or runs are looked up. Postgres text cannot contain NUL, so no stored name
 * contains it.
 */
export const lookUpName = z
  .string()
  .max(limits.maxTagBytes)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'has characters that names cannot contain');

/** A query parameter that may be given once or several times: any of these. */
export const anyOf = z.union([lookUpName.transform((one) => [one]), z.array(lookUpName).max(limits.maxNamesPerQuery)]).optional();

/**
 * Text from the caller. `max` is in characters (code points), as in JSON Schema. For stored text,
 * #experiments checks the limit and reports the excess.
 */
export const textUpTo = (max: number, min = 0) => z.string().meta({ maxLength: max, ...(min > 0 && { minLength: min }) });

/** Text that is or was part of a URL: at most `max` characters (code points). */
export const urlText = (max: number) =>
  z
    .string()
    .refine((text) => text.length <= max || Array.from(text).length <= max, `should be at most ${max} characters long`)
    .meta({ maxLength: max });

/** Labels; #experiments validates them. */
export const labels = z.array(textUpTo(limits.maxExperimentNameCharacters, 1)).max(limits.maxLabels);

/**
 * The `next_page_token` of a list: ids and numbers, never names, so it is far shorter than this.
 */
export const pageToken = z.string().max(1_000);

/**
 * Scopes in OAuth syntax (RFC 6749, 3.3), for the OpenAPI document. Unknown scopes cause the OAuth
 * error.
 */
export const scopePattern = '^(read|upload|manage|admin)( (read|upload|manage|admin))*$';

/** A path of this service to continue at. */
export const nextPath = z.string().max(8_192).optional().meta({ description: 'A path of this service to continue at.' });

/**
 * Whole numbers of bytes or points in a body, up to the largest that float64 represents exactly.
 */
export const wholeCount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A flag in a URL; `?flag` alone is true. */
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

/** Seconds in a URL, optionally with a fraction. */
export const seconds = z
  .string()
  .max(13)
  .regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/, 'should be a number of seconds')
  .transform(Number);

/** An epoch number of 0 or more, in a URL or a body; at most 15 digits in both. */
export const epochNumber = z
  .union(
    [
      z.int().min(0).max(999_999_999_999_999),
      z
        .string()
        .max(15)
        .regex(/^[0-9]{1,15}$/, 'should be an epoch number'),
    ],
    'should be an epoch number',
  )
  .transform(Number);

/** A wait longer than the maximum is reduced, not rejected. */
export const waitSeconds = z
  .number()
  .min(0)
  .max(1e9)
  .transform((asked) => Math.min(asked, limits.maxWaitSeconds));

/**
 * `wait_for` and `timeout` of every query: the query waits until that epoch is visible, and fails
 * after `timeout` seconds.
 */
export const waiting = { wait_for: epochNumber.optional(), timeout: seconds.pipe(waitSeconds).optional() };

/** The query of routes without other parameters. */
export const onlyWaiting = z.strictObject(waiting);
