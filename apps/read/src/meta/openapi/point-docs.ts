import { z } from 'zod';
import { integerJson } from '../../experiments/integer-json.ts';
import { contentQuery } from '../../files/content-query.ts';
import { scalarsAddress } from '../../scalars/address-query.ts';
import { scalarsQuery } from '../../scalars/scalars-query.ts';
import { blobSequencesQuery, tensorsQuery } from '../../tensors/values-query.ts';
import { floatJson } from '../../series-list/series-json.ts';
import { examples } from './examples.ts';
import { frontierJsonDoc } from './progress-docs.ts';
import { type ResponseDoc, json, type RouteDoc } from './route-doc.ts';

const next = z.string().optional();
const integers = z.array(integerJson);
const floats = z.array(floatJson);

const scalarsJson = z.object({
  frontier: frontierJsonDoc,
  series: z.array(
    z.object({
      run: z.string(),
      tag: z.string(),
      writer: z
        .int()
        .optional()
        .meta({ description: 'The number of the writer, starting at 0, if several writers logged this tag of the run at the same time.' }),
      sampling: z.enum(['raw', 'minmax', 'last', 'random', 'tail']),
      exact: z.boolean(),
      source_points: integerJson.meta({ description: 'Number of points that this response is based on.' }),
      columns: z.object({
        step: integers.optional(),
        wall_time: floats.optional(),
        value: floats.optional(),
        superseded: z.array(z.boolean()).optional(),
        last_step: integers.optional(),
        count: integers.optional(),
        first: floats.optional(),
        last: floats.optional(),
        min: floats.optional(),
        max: floats.optional(),
        min_step: integers.optional(),
        max_step: integers.optional(),
        nan_count: integers.optional(),
        inf_count: integers.optional(),
        neg_inf_count: integers.optional(),
        smoothed: floats.optional(),
        smoothed_first: floats.optional(),
        x: floats.optional().meta({ description: 'Values of the tag that the request names as `x`, at the same steps.' }),
      }),
    }),
  ),
  next_page_token: next,
});

const scalarsExample = {
  frontier: examples.frontier,
  series: [
    {
      run: 'lr=0.01',
      tag: 'val/acc',
      sampling: 'raw',
      exact: true,
      source_points: 2,
      columns: { step: [0, 1], wall_time: [1795261058.19, 1795261059.2], value: [0.1, 0.14] },
    },
  ],
};

/** JSON by default; a long table for every other media type. */
function table(schema: z.ZodType, example: unknown): ResponseDoc {
  return {
    ...json(
      schema,
      'JSON has columns per series. CSV, Arrow, Parquet and JSON Lines are long tables of run, tag and the columns. The CLI reads chunks as stored.',
      example,
    ),
    content: {
      'application/json': schema,
      'text/csv': null,
      'application/vnd.apache.arrow.stream': null,
      'application/vnd.apache.parquet': null,
      'application/x-ndjson': null,
      'application/vnd.plotline.chunks': null,
    },
  };
}

const scalarsAbout =
  '`minmax` (the default) returns at most `points` buckets. All runs of a tag share the bucket bounds, and each bucket is exact for the points from `step` to `last_step`. A series with no more points than `points` is returned raw. ' +
  '`smoothing` (0 to 0.9999) adds the debiased moving average of all points of the series to `minmax`: `smoothed` at `last_step`, and in buckets `smoothed_first` at `step`. ' +
  '`raw` returns every point, page by page; with `superseded`, also superseded points, in log order. `last`, `random` (with `seed`) and `tail` pick points. If `runs` or `tags` is absent, all are selected; an empty list selects none.';
export const pointDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/scalars/query',
    tag: 'points',
    summary: 'Read scalars of many runs and tags',
    about: scalarsAbout,
    body: { schema: scalarsQuery, example: { tags: ['val/acc'], points: 1000 } },
    responses: [table(scalarsJson, scalarsExample)],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'answer-too-large', 'not-visible-yet', 'invalid-page-token'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/scalars',
    tag: 'points',
    summary: 'Read scalars with a GET request',
    about: 'Like the POST query, with `run`, `tag`, `from`, `to` as URL parameters.',
    query: scalarsAddress.in,
    responses: [table(scalarsJson, scalarsExample)],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'answer-too-large', 'not-visible-yet', 'invalid-page-token'],
  },
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/tensors/query',
    tag: 'points',
    summary: 'Read tensors',
    about:
      'Like scalars, with values as `{dtype, shape, data}`. `points` selects points evenly and keeps the last point; `sampling: "tail"` returns the most recent points.',
    body: { schema: tensorsQuery, example: { tags: ['weights'], points: 10 } },
    responses: [
      json(z.object({ frontier: frontierJsonDoc, series: z.array(z.record(z.string(), z.unknown())) }), 'By columns.', {
        frontier: examples.frontier,
        series: [
          {
            run: 'lr=0.01',
            tag: 'weights',
            columns: { step: [0], wall_time: [1795261058.19], value: [{ dtype: 'float32', shape: [2], data: [0.5, -1] }] },
          },
        ],
      }),
    ],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'answer-too-large', 'not-visible-yet'],
  },
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/blob-sequences/query',
    tag: 'points',
    summary: 'Read blob sequences: images, audio, graphs, text',
    about: 'Each blob has a key and a URL. Select with `points`, `tail` and a range of indices (or `"last"`).',
    body: { schema: blobSequencesQuery, example: { tags: ['samples'], points: 10, indices: 'last' } },
    responses: [
      json(z.object({ frontier: frontierJsonDoc, series: z.array(z.record(z.string(), z.unknown())) }), 'By series.', {
        frontier: examples.frontier,
        series: [
          {
            run: 'lr=0.01',
            tag: 'samples',
            points: [
              {
                step: 0,
                wall_time: 1795261058.19,
                blobs: [
                  {
                    key: 'WzEsInBLM3YiXQ',
                    url: '/api/v1/blobs/WzEsInBLM3YiXQ',
                    bytes: 1024,
                    content_type: 'image/png',
                    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
                  },
                ],
              },
            ],
          },
        ],
      }),
    ],
    problems: ['experiment-not-found', 'unknown-field', 'bad-request', 'answer-too-large', 'not-visible-yet'],
  },
  ...(['/api/v1/blobs/:key', '/data/blob/:key'] as const).map((path): RouteDoc => ({
    method: 'GET',
    path,
    tag: 'points',
    summary: path.startsWith('/data') ? 'Download a blob from the address that TensorBoard uses' : 'Download a blob',
    about: 'Supports range requests. Browsers never render the content as a page of this service.',
    responses: [
      { status: 200, about: 'The blob.', content: { 'application/octet-stream': null } },
      { status: 206, about: 'The requested range.', content: { 'application/octet-stream': null } },
    ],
    problems: ['blob-not-found', 'stored-bytes-lost', 'range-not-satisfiable'],
  })),
  {
    method: 'GET',
    path: '/api/v1/files/:fileId/content',
    tag: 'files',
    summary: 'Download an event file',
    about:
      "Returns the durable bytes. Supports range requests. Fails with `original-gone` once the workspace's retention period for originals has passed, or if the stored bytes could not be read when points were deleted. Fails with `stored-bytes-lost` if the service has lost some bytes.",
    query: contentQuery,
    responses: [
      {
        status: 200,
        about: 'The file.',
        content: { 'application/octet-stream': null },
        headers: { 'Repr-Digest': 'CRC-32C of the whole file (RFC 9530).' },
      },
      { status: 206, about: 'The requested range.', content: { 'application/octet-stream': null } },
    ],
    problems: ['file-not-found', 'original-gone', 'stored-bytes-lost', 'range-not-satisfiable'],
  },
];
