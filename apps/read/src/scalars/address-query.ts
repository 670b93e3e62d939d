import { z } from 'zod';
import { limits } from '#model';
import { flag, pageToken, seconds, wholeNumber } from '../query-schemas.ts';

const name = z.string().max(limits.maxTagBytes);

/** Parameters of an address as the body of the same query: lists by repeating a name, `from` and `to` for `steps`, numbers and flags from text. */
const listed = z.union([name.transform((one) => [one]), z.array(name).max(limits.maxNamesPerQuery)]).optional();
const whole = wholeNumber.optional();
const text = z.string().max(200).optional();

/** `?run=&tag=&points=&…` of `GET /experiments/{eid}/scalars`; what it gives still has to be checked as a body. */
export const scalarsAddress = z
  .strictObject({
    run: listed,
    tag: listed,
    plugin: name.optional(),
    unlisted: flag.optional(),
    from: text,
    to: text,
    points: whole,
    sampling: text,
    align: text,
    smoothing: z.string().max(30).transform(Number).optional(),
    seed: text,
    superseded: flag.optional(),
    columns: z
      .string()
      .max(1_000)
      .transform((names) => names.split(','))
      .optional(),
    page_size: whole,
    page_token: pageToken.optional(),
    wait_for: text,
    timeout: seconds.optional(),
  })
  .transform(({ run, tag, from, to, ...rest }) => ({
    ...rest,
    runs: run,
    tags: tag,
    steps: from === undefined && to === undefined ? undefined : { from, to },
  }));
