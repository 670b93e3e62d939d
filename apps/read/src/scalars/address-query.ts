import { z } from 'zod';

/** Parameters of an address as the body of the same query: lists by repeating a name, `from` and `to` for `steps`, numbers and flags from text. */
const listed = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional();
const whole = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'should be a whole number')
  .transform(Number)
  .optional();
const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .transform((text) => text !== 'false' && text !== '0')
  .optional();
const text = z.string().optional();

/** `?run=&tag=&points=&…` of `GET /experiments/{eid}/scalars`; what it gives still has to be checked as a body. */
export const scalarsAddress = z
  .strictObject({
    run: listed,
    tag: listed,
    plugin: text,
    unlisted: flag,
    from: text,
    to: text,
    points: whole,
    sampling: text,
    align: text,
    seed: text,
    superseded: flag,
    columns: z
      .string()
      .transform((names) => names.split(','))
      .optional(),
    page_size: whole,
    page_token: text,
    wait_for: text,
    timeout: z
      .string()
      .regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/, 'should be a number of seconds')
      .transform(Number)
      .optional(),
  })
  .transform(({ run, tag, from, to, ...rest }) => ({
    ...rest,
    runs: run,
    tags: tag,
    steps: from === undefined && to === undefined ? undefined : { from, to },
  }));
