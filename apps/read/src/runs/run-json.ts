import { z } from 'zod';
import { isPart, type View } from '#model';
import type { RunSummary } from '#store';
import { integerJson } from '../experiments/experiment-json.ts';
import { exactFloat, exactInteger } from '../json.ts';
import { floatJson } from '../series-list/series-json.ts';

/** A run in responses. */
export const runJson = z.object({
  run: z.string().meta({ description: 'Path below the log directory; `.` is the log directory itself.' }),
  start_time: floatJson.nullable().meta({ description: 'Smallest positive wall time, in seconds since 1970.' }),
  last_time: floatJson.nullable(),
  events: integerJson
    .nullable()
    .meta({ description: 'Readable events; grows with the run. Null for visitors who see a part of the experiment.' }),
  status: z.string().meta({ description: 'success, failure, running or unknown, as logged by the run.' }),
  group: z.string().nullable(),
  hparams: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  labels: z.array(z.string()),
  notes: z.string().nullable().meta({ description: 'Markdown. Null for visitors.' }),
  archived: z.boolean().meta({ description: 'Archived: lists leave it out by default.' }),
  values: z
    .array(z.union([z.string(), z.number(), z.boolean()]).nullable())
    .optional()
    .meta({ description: 'The values that the request asked for with `value`, in its order.' }),
});

/** Serializes a run as the caller may see it. */
export function toRunJson(run: RunSummary, view: View | null): Record<string, unknown> {
  return {
    run: run.run,
    start_time: exactFloat(run.startTime),
    last_time: exactFloat(run.lastTime),
    events: isPart(view) ? null : exactInteger(run.events),
    status: run.status,
    group: run.group,
    hparams: run.hparams ?? {},
    labels: run.labels,
    notes: view ? null : run.notes,
    archived: run.archived,
    ...(run.values.length > 0 && { values: run.values.map((value) => (typeof value === 'number' ? exactFloat(value) : value)) }),
  };
}
