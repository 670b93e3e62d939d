import { z } from 'zod';
import { type ExperimentId, limits, type View } from '#model';
import { columnNames, maxFormulaLength, samplings, type ScalarRequest, type SeriesSelection } from '#series';
import { epochNumber, lookUpName, pageToken, textUpTo, waitSeconds } from '../query-schemas.ts';

/**
 * Integers that float64 holds exactly. The body parser has already turned larger integers into
 * strings of their digits, which keeps 64-bit integers exact.
 */
const wholeNumber = z.int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).meta({ format: 'int64' });
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** A step: a number, or a string of digits (beyond 2^53 only a string is exact). */
export const int64Schema = z
  .union([
    wholeNumber,
    z
      .string()
      .max(20)
      .regex(/^-?[0-9]{1,19}$/, 'should be a whole number'),
  ])
  .transform((value) => BigInt(value))
  .refine((value) => value >= int64.min && value <= int64.max, 'must fit into 64 bits');

/** A count. A value above the maximum is reduced, not rejected. */
const atMost = (max: number) =>
  z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .transform((count) => Math.min(count, max));

const names = z.array(lookUpName).max(limits.maxNamesPerQuery);

/** The common fields of all point queries. */
export const selectionFields = {
  runs: names.optional(),
  tags: names.optional(),
  plugin: lookUpName.optional(),
  unlisted: z.boolean().default(false),
  steps: z.strictObject({ from: int64Schema.optional(), to: int64Schema.optional() }).optional(),
  wait_for: epochNumber.optional(),
  /** Maximum seconds to wait for `wait_for`. */
  timeout: waitSeconds.optional(),
};

export const pointsField = atMost(limits.maxBuckets).default(limits.defaultBuckets);

/** Body of `POST /experiments/{eid}/scalars/query`. */
const queryFields = z.strictObject({
  ...selectionFields,
  points: pointsField,
  sampling: z.enum(samplings).default('minmax'),
  align: z.enum(['tag', 'request']).default('tag'),
  spacing: z.enum(['linear', 'log']).default('linear'),
  /** Weight of the past in the moving average, like TensorBoard's slider. */
  smoothing: z.number().min(0).max(0.9999).default(0),
  /** A tag of the same runs; its values become the column `x` of `minmax`. */
  x: lookUpName.optional(),
  /** An expression over tags of each run, instead of `tags`; only with `minmax`. */
  formula: textUpTo(maxFormulaLength, 1).optional(),
  seed: z.union([wholeNumber, z.string().max(200)]).default(0),
  superseded: z.boolean().default(false),
  /**
   * CSV: whether names that a spreadsheet would run as a formula are prefixed with an apostrophe.
   */
  guard_formulas: z.boolean().default(false),
  columns: z.array(z.enum(columnNames)).max(100).optional(),
  page_size: atMost(limits.maxPointsPageSize).default(limits.defaultPointsPageSize),
  page_token: pageToken.optional(),
});
export const scalarsQuery = queryFields.refine(
  ({ formula, tags, sampling }) => formula === undefined || (tags === undefined && sampling === 'minmax'),
  {
    message: 'cannot be combined with `tags`, and requires `sampling` minmax',
    path: ['formula'],
  },
);
export type ScalarsQuery = z.output<typeof scalarsQuery>;

/** The part of a query that selects series and steps. */
export function selectionOf(
  experimentId: ExperimentId,
  query: Pick<ScalarsQuery, 'runs' | 'tags' | 'plugin' | 'unlisted' | 'steps'>,
  view: View | null,
): SeriesSelection {
  return {
    experimentId,
    runs: query.runs ?? null,
    tags: query.tags ?? null,
    plugin: query.plugin ?? null,
    unlisted: query.unlisted,
    from: query.steps?.from ?? null,
    to: query.steps?.to ?? null,
    view,
  };
}

/** A validated query in the form of #series. */
export function scalarRequest(experimentId: ExperimentId, query: ScalarsQuery, view: View | null): ScalarRequest {
  return {
    ...selectionOf(experimentId, query, view),
    sampling: query.sampling,
    points: query.points,
    align: query.align,
    spacing: query.spacing,
    smoothing: query.sampling === 'minmax' ? query.smoothing : 0,
    x: query.sampling === 'minmax' ? (query.x ?? null) : null,
    formula: query.formula ?? null,
    seed: String(query.seed),
    superseded: query.superseded,
    pageSize: query.page_size,
    pageToken: query.page_token ?? null,
  };
}
