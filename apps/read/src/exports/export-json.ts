import { z } from 'zod';
import { exportFormats } from '#exports';
import { type ExperimentId, limits } from '#model';
import type { ExportJob } from '#store';
import { lookUpName } from '../query-schemas.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize);

export const exportBody = z.strictObject({
  format: z.enum(exportFormats).meta({
    description:
      'A table of scalars (`csv`, `jsonl`, `arrow`, `parquet`), event files with all effective values (`events`), or the event files as uploaded (`raw`).',
  }),
  runs: names.optional().meta({ description: 'Export only these runs. Default: all runs.' }),
  tags: names.optional().meta({ description: 'Export only these tags. Default: all tags. Not allowed with `raw`.' }),
});

/** An export in responses. */
export const exportJson = z.object({
  id: z.uuid(),
  url: z.string(),
  experiment: z.string(),
  format: z.enum(exportFormats),
  runs: z.array(z.string()).nullable().meta({ description: 'Null means all.' }),
  tags: z.array(z.string()).nullable().meta({ description: 'Null means all.' }),
  state: z.enum(['queued', 'running', 'finished', 'failed']),
  points: z.int().meta({ description: 'Scalar points written so far; 0 if the format is `raw`.' }),
  total_points: z.int().meta({ description: '0 until the export runs.' }),
  files: z.int().meta({ description: '0 until the export has finished. Download each file by its number; the first is 0.' }),
  bytes: z
    .int()
    .meta({ description: 'Total size of all files; 0 until the export has finished. If the format is `raw`, the bytes written so far.' }),
  total_bytes: z.int().meta({
    description: 'If the format is `raw`: the final value of `bytes`, known once the export runs. Otherwise the same as `bytes`.',
  }),
  requested: z.iso.datetime(),
  finished: z.iso.datetime().nullable(),
  expires: z.iso.datetime().nullable().meta({ description: 'When the result expires. Null until the export has finished.' }),
  problem: z.string().nullable().meta({ description: 'Why the export failed, as a problem code.' }),
});

/** The path of an export. */
export function exportPath(experimentId: ExperimentId, exportId: string): string {
  return `/api/v1/experiments/${experimentId}/exports/${exportId}`;
}

/** An export as the API shows it. */
export function toExportJson(job: ExportJob): z.input<typeof exportJson> {
  return {
    id: job.exportId,
    url: exportPath(job.experimentId, job.exportId),
    experiment: job.experimentId,
    format: job.format as (typeof exportFormats)[number],
    runs: job.runs && [...job.runs],
    tags: job.tags && [...job.tags],
    state: job.state,
    points: job.points,
    total_points: Math.max(job.points, job.totalPoints),
    files: job.files,
    bytes: job.bytes,
    total_bytes: job.state === 'finished' ? job.bytes : job.totalBytes,
    requested: job.requestedAt.toISOString(),
    finished: job.finishedAt?.toISOString() ?? null,
    expires: job.expiresAt?.toISOString() ?? null,
    problem: job.problem,
  };
}
