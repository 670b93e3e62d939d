import { z } from 'zod';
import { rankTag } from '#charts';
import { type ExperimentId, runStates, type TagName } from '#model';
import { readSparklines, type Sparkline } from '#series';
import { type NewestRun, readNewestRuns, type Snapshot } from '#store';
import { exactFloat, exactInteger } from '../json.ts';
import { floatJson } from '../series-list/series-json.ts';
import { integerJson } from './integer-json.ts';

/** Maximum experiments per page if newest runs are included. */
export const maxNewestRuns = 100;
/** Maximum points of a sparkline. */
const sparklinePoints = 32;

/** Common tags of results. They are found no matter how many tags a run has. */
const usualMetrics = [
  '',
  'val/',
  'valid/',
  'validation/',
  'eval/',
  'test/',
  'train/',
  'val_',
  'valid_',
  'eval_',
  'test_',
  'train_',
].flatMap((prefix) => ['loss', 'accuracy', 'acc', 'error', 'reward'].map((name) => prefix + name));

/** The newest run of an experiment, in lists that request it. */
export const newestRunJson = z.object({
  run: z.string(),
  display_name: z.string().nullable(),
  state: z.enum(runStates).meta({ description: 'The same states as in lists of runs.' }),
  metric: z
    .object({
      tag: z.string(),
      last: floatJson,
      min: floatJson,
      max: floatJson,
      steps: z.array(integerJson),
      values: z.array(floatJson).meta({ description: `The last value of each of at most ${sparklinePoints} buckets, at \`steps\`.` }),
    })
    .nullable()
    .meta({ description: 'The most informative series: a result on validation data, if there is one. Null if the run has no scalars.' }),
});

/** The newest runs of experiments that the caller may read; an experiment without runs has none. */
export async function readNewestRunJson(
  snapshot: Snapshot,
  experimentIds: readonly ExperimentId[],
): Promise<Map<ExperimentId, z.input<typeof newestRunJson>>> {
  const runs = await readNewestRuns(snapshot, experimentIds, usualMetrics);
  const metrics = new Map(runs.map((run) => [run, metricOf(run)]));
  const lines = await readSparklines(
    snapshot,
    [...metrics.values()].flatMap((metric) => metric?.seriesId ?? []),
    sparklinePoints,
  );
  return new Map(
    runs.map((run) => {
      const metric = metrics.get(run);
      const line = metric && lines.get(metric.seriesId);
      const { displayName, state } = run;
      return [
        run.experimentId,
        {
          run: run.run,
          display_name: displayName,
          state,
          metric: line ? toMetricJson(metric.tag, line) : null,
        },
      ];
    }),
  );
}

/** The most informative series; among several, the first by name. */
function metricOf({ series }: NewestRun): NewestRun['series'][number] | null {
  return series.toSorted((a, b) => rankTag(a.tag) - rankTag(b.tag) || (a.tag < b.tag ? -1 : 1))[0] ?? null;
}

function toMetricJson(tag: TagName, { steps, values, min, max }: Sparkline) {
  const float = (value: number) => exactFloat(value) as z.infer<typeof floatJson>;
  return {
    tag,
    last: float(values.at(-1)!),
    min: float(min),
    max: float(max),
    steps: Array.from(steps as ArrayLike<number | bigint>, (step) => exactInteger(step)!),
    values: Array.from(values, float),
  };
}
