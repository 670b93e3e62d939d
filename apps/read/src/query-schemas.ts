import { z } from 'zod';
import { limits } from '#model';

/** A name that series or runs are looked up by. Postgres has no text with NUL, so no name of ours has one. */
export const lookUpName = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'), 'has characters that no name can have');

/** A query parameter that may be given once or several times: any of these. */
export const anyOf = z.union([lookUpName.transform((one) => [one]), z.array(lookUpName)]).optional();

/** A whole number in an address. */
export const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'should be a whole number')
  .transform(Number);

/** A flag in an address; `?flag` alone is true. */
export const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1' || text === '');

/** `page_size` and `page_token` of every list. */
export const paging = {
  page_size: wholeNumber.refine((size) => size > 0, 'should be at least 1').optional(),
  page_token: z.string().optional(),
};

/** Seconds in an address, with a fraction or without. */
export const seconds = z
  .string()
  .regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/, 'should be a number of seconds')
  .transform(Number);

/** A number of an epoch: from 0, in an address or a body. None will ever need more digits than a float64 has. */
export const epochNumber = z
  .union([z.int().min(0), z.string().regex(/^[0-9]{1,15}$/, 'should be the number of an epoch')], 'should be the number of an epoch')
  .transform(Number);

/** Longer than the service waits is lowered, never refused. */
export const waitSeconds = z.number().transform((asked) => Math.min(asked, limits.maxWaitSeconds));

/** `wait_for` and `timeout` of every query: it is answered once that epoch is visible, or refused after so many seconds. */
export const waiting = { wait_for: epochNumber.optional(), timeout: seconds.pipe(waitSeconds).optional() };

/** The query of what takes nothing else. */
export const onlyWaiting = z.strictObject(waiting);
