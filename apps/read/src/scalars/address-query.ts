import { z } from 'zod';
import { limits } from '#model';
import { samplings } from '#series';
import { flag, pageToken, paging, seconds } from '../query-schemas.ts';

const name = z.string().max(limits.maxTagBytes);

/**
 * Converts URL parameters to the body of the same query: lists from repeated names, `from` and `to`
 * for `steps`, numbers and flags from text.
 */
const listed = z.union([name.transform((one) => [one]), z.array(name).max(limits.maxNamesPerQuery)]).optional();
const text = z.string().max(200).optional();
const step = z
  .string()
  .max(20)
  .regex(/^-?[0-9]{1,19}$/, 'should be a whole number')
  .optional();
const epochText = z
  .string()
  .max(15)
  .regex(/^[0-9]{1,15}$/, 'should be an epoch number')
  .optional();

/**
 * `?run=&tag=&points=&…` of `GET /experiments/{eid}/scalars`; the result must still be validated as
 * a body.
 */
export const scalarsAddress = z
  .strictObject({
    run: listed,
    tag: listed,
    plugin: name.optional(),
    unlisted: flag.optional(),
    from: step,
    to: step,
    points: paging.page_size,
    sampling: z.enum(samplings).optional(),
    align: z.enum(['tag', 'request']).optional(),
    spacing: z.enum(['linear', 'log']).optional(),
    smoothing: z.string().max(30).transform(Number).optional(),
    x: name.optional(),
    formula: text,
    seed: text,
    superseded: flag.optional(),
    guard_formulas: flag.optional(),
    columns: z
      .string()
      .max(1_000)
      .transform((names) => names.split(','))
      .optional(),
    page_size: paging.page_size,
    page_token: pageToken.optional(),
    wait_for: epochText,
    timeout: seconds.optional(),
  })
  .transform(({ run, tag, from, to, ...rest }) => ({
    ...rest,
    runs: run,
    tags: tag,
    steps: from === undefined && to === undefined ? undefined : { from, to },
  }));
