import type { ConfigValue, ImportSink } from './import-sink.ts';

/** The points of a metric, in the order in which they were logged. */
export interface MlflowMetric {
  readonly key: string;
  readonly points: readonly { readonly step: bigint; readonly wallTime: number; readonly value: number }[];
}

/** An MLflow run, from any MLflow store. */
export interface MlflowRun {
  readonly id: string;
  readonly name: string;
  /** Name of the experiment. */
  readonly experiment: string;
  /** An MLflow status: RUNNING, SCHEDULED, FINISHED, FAILED or KILLED. */
  readonly status: string;
  readonly isDeleted: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly tags: readonly string[];
  readonly artifacts: number;
  readonly metrics: AsyncIterable<MlflowMetric> | Iterable<MlflowMetric>;
}

/**
 * Converts parameters, which MLflow stores as text, back to numbers and booleans. Numbers beyond
 * float64 remain text.
 */
export function configOf(params: readonly (readonly [string, string])[]): Record<string, ConfigValue> {
  return Object.fromEntries(
    params.map(([name, text]) => [
      name,
      text === 'True' || text === 'False'
        ? text === 'True'
        : /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
          ? Number(text)
          : text,
    ]),
  );
}

/** Passes a run to the sink as `EXPERIMENT/NAME-ID`, with its metrics sorted by step. */
export async function passOn(run: MlflowRun, sink: ImportSink): Promise<void> {
  if (run.isDeleted) return sink.skip('deleted runs', 'they were deleted in MLflow');
  const name = `${run.experiment}/${run.name === run.id ? run.id : `${run.name}-${run.id.slice(0, 8)}`}`;
  const startTime = run.startMs / 1000;
  await sink.config(name, run.config, startTime);
  for await (const { key, points } of run.metrics) {
    // MLflow orders points only by step. Here, points of the same step are ordered by time.
    const sorted = points.toSorted((a, b) => (a.step < b.step ? -1 : a.step > b.step ? 1 : a.wallTime - b.wallTime));
    await sink.scalars({
      run: name,
      tag: key,
      writer: 0,
      steps: BigInt64Array.from(sorted, ({ step }) => step),
      wallTimes: Float64Array.from(sorted, ({ wallTime }) => wallTime),
      values: Float64Array.from(sorted, ({ value }) => value),
    });
  }
  if (run.status === 'FINISHED' || run.status === 'FAILED' || run.status === 'KILLED')
    await sink.end(name, run.status === 'FINISHED' ? 'success' : 'failure', run.endMs / 1000);
  const own = run.tags.filter((tag) => !tag.startsWith('mlflow.'));
  if (own.length > 0) sink.skip('tags of runs', 'label the runs on the page', own.length);
  if (run.artifacts > 0) sink.skip('artifacts', 'they are not imported', run.artifacts);
}
