import { z } from 'zod';
import { type ExperimentId, limits, type View } from '#model';
import type { ValuesRequest } from '#series';
import { pointsField, selectionFields, selectionOf } from '../scalars/scalars-query.ts';

/** The common fields of tensor queries and blob sequence queries. */
export const valuesFields = {
  ...selectionFields,
  points: pointsField,
  sampling: z.enum(['even', 'tail']).default('even'),
  superseded: z.boolean().default(false),
};

/** Body of `POST /experiments/{eid}/tensors/query`. */
export const tensorsQuery = z.strictObject({
  ...valuesFields,
  packed: z.boolean().default(false).meta({
    description:
      'Each `data` is `{"base64"}` of the stored bytes. Numbers are little-endian in C order, with one element of int4 and uint4 per byte. Each string is a big-endian uint32 length and its bytes.',
  }),
});

const lastIndex = limits.maxValuesPerEvent * 1000;
const index = z.int().min(0).max(lastIndex);

/**
 * Body of `POST /experiments/{eid}/blob-sequences/query`. Indices count the blobs of a point; both
 * ends are included.
 */
export const blobSequencesQuery = z.strictObject({
  ...valuesFields,
  indices: z.union([z.literal('last'), z.strictObject({ from: index.default(0), to: index.default(lastIndex) })]).optional(),
});

/** A validated query in the form of #series. */
export function valuesRequest(
  experimentId: ExperimentId,
  query: Omit<z.output<typeof tensorsQuery>, 'packed'>,
  view: View | null,
): ValuesRequest {
  return { ...selectionOf(experimentId, query, view), points: query.points, sampling: query.sampling, superseded: query.superseded };
}
