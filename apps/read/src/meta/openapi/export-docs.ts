import { z } from 'zod';
import { exportBody, exportJson } from '../../exports/export-json.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const id = '9a0f2c1e-3d5b-4e8a-9b57-2f1f0e6f3b90';
const running = {
  id,
  url: `/api/v1/experiments/${examples.id}/exports/${id}`,
  experiment: examples.id,
  format: 'parquet' as const,
  runs: null,
  tags: null,
  state: 'running' as const,
  points: 1_200_000,
  total_points: 6_000_000,
  files: 0,
  bytes: 0,
  total_bytes: 0,
  requested: '2026-11-27T00:00:00.000Z',
  finished: null,
  expires: null,
  problem: null,
};
const finished = {
  ...running,
  state: 'finished' as const,
  points: 6_000_000,
  files: 1,
  bytes: 48_000_000,
  total_bytes: 48_000_000,
  finished: '2026-11-27T00:00:09.000Z',
  expires: '2026-11-28T00:00:09.000Z',
};
const eventFile = {
  run: z
    .string()
    .optional()
    .meta({ description: 'This field and the following fields are present only if the format is `raw`: they identify the event file.' }),
  name: z.string().optional(),
  version: z.int().optional(),
  rewritten: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the file is without deleted points. If not, it is byte for byte as uploaded.' }),
};
const path = '/api/v1/experiments/:experimentId/exports';

export const exportDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path,
    tag: 'exports',
    summary: 'Export an experiment in the background',
    about:
      'The service writes the files and keeps them until they expire. Tables and `events` contain the effective values that are visible when the export starts. `raw` contains the event files byte for byte, without deleted points. If no file of a `raw` export is kept, the request is rejected. If the same content has been exported or is being exported, the response is that export. A run or tag that does not exist is an error. Results count against the byte quota. Not available to visitors.',
    body: { schema: exportBody, example: { format: 'parquet' } },
    responses: [
      json(exportJson, 'An export of this content already exists.', finished),
      {
        ...json(exportJson, 'The export is queued.', { ...running, state: 'queued', points: 0, total_points: 0 }, 202),
        headers: { Location: 'The export.' },
      },
    ],
    problems: [
      'bad-request',
      'unknown-field',
      'invalid-name',
      'name-too-long',
      'experiment-not-found',
      'not-found',
      'original-gone',
      'quota-exceeded',
    ],
  },
  {
    method: 'GET',
    path,
    tag: 'exports',
    summary: 'List the exports of an experiment',
    responses: [
      json(z.object({ exports: z.array(exportJson) }), 'At most 100 that have not expired, newest first.', { exports: [finished] }),
    ],
    problems: ['experiment-not-found'],
  },
  {
    method: 'GET',
    path: `${path}/:exportId`,
    tag: 'exports',
    summary: 'Get the progress of an export',
    responses: [json(exportJson, 'The export.', running)],
    problems: ['experiment-not-found', 'export-not-found'],
  },
  {
    method: 'DELETE',
    path: `${path}/:exportId`,
    tag: 'exports',
    summary: 'Cancel an export, or delete its files',
    responses: [{ status: 204, about: 'The export can no longer be downloaded. Its files are removed within a minute.' }],
    problems: ['experiment-not-found', 'export-not-found'],
  },
  {
    method: 'GET',
    path: `${path}/:exportId/manifest`,
    tag: 'exports',
    summary: 'List the files of a finished export, with digests',
    about: 'The body is the file `manifest.json` that the CLI writes beside the files.',
    responses: [
      json(
        z.object({
          format: z.string(),
          version: z.int(),
          experiment: z.string(),
          runs: z.array(z.string()).nullable(),
          tags: z.array(z.string()).nullable(),
          frontier: z.int().meta({ description: 'Everything acknowledged up to this epoch is in the files.' }),
          points: z.int().optional().meta({ description: 'Number of scalar points. Absent if the format is `raw`.' }),
          files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string(), ...eventFile })),
          left_out: z
            .array(
              z.object({ run: z.string(), name: z.string(), version: z.int(), reason: z.enum(['original-gone', 'stored-bytes-lost']) }),
            )
            .optional()
            .meta({
              description: 'Files that the export lacks because they are lost or no longer kept. Present only if the format is `raw`.',
            }),
        }),
        'The manifest.',
        {
          format: 'parquet',
          version: 1,
          experiment: examples.id,
          runs: null,
          tags: null,
          frontier: 12,
          points: 6_000_000,
          files: [{ path: 'scalars.parquet', bytes: 48_000_000, sha256: '0'.repeat(64) }],
        },
      ),
    ],
    problems: ['experiment-not-found', 'export-not-found', 'export-not-finished'],
  },
  {
    method: 'GET',
    path: `${path}/:exportId/files/:number`,
    tag: 'exports',
    summary: 'Download a file of a finished export',
    about:
      'The number is the position of the file in the manifest. The `ETag` is its SHA-256. An interrupted download continues with `Range` and `If-Range`.',
    headers: {
      Range: { about: 'One range of bytes.', maxLength: 64 },
      'If-Range': { about: 'An `ETag`. The range applies only to this content.', maxLength: 80 },
      'If-None-Match': { about: 'An `ETag`. If it is still current, the response is 304.', maxLength: 80 },
    },
    responses: [
      { status: 200, about: 'The file.', content: { 'application/octet-stream': null } },
      { status: 206, about: 'The requested range.', content: { 'application/octet-stream': null } },
      { status: 304, about: 'The `ETag` is current.' },
    ],
    problems: ['experiment-not-found', 'export-not-found', 'export-not-finished', 'file-not-found', 'range-not-satisfiable'],
  },
];
