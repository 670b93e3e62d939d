import { lowerBound } from '#chunks';
import type { ScalarSeries, Snapshot } from '#store';
import { walkEffective } from './effective-points.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import type { SeriesResult } from './scalar-result.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { minStep, wideSteps } from './steps.ts';

/**
 * Adds each run's values of another tag, at the last point of each entry. Each is the value logged
 * at that step, otherwise the last value before that step, or NaN if there is none. Reads every
 * point of that tag, so buckets are exact. Throws `answer-too-large` if there are too many.
 */
export async function readX(
  snapshot: Snapshot,
  { experimentId, view, x }: Pick<ScalarRequest, 'experimentId' | 'view'> & { readonly x: string },
  responses: readonly SeriesResult[],
): Promise<SeriesResult[]> {
  const runs = [...new Set(responses.map(({ run }) => run))];
  const selection = { experimentId, view, runs, tags: [x], plugin: null, unlisted: false };
  const joins = responses.map((response) => new Join(stepsOf(response)));
  const last = joins.reduce((max, join) => (join.last > max ? join.last : max), minStep);
  const { list, tails } = await findScalarSeries(snapshot, { ...selection, from: null, to: last });
  const sources = sourcesOf(list);
  const wanted = list.map((): Join[] => []);
  responses.forEach((response, i) => {
    const source = sources(response);
    if (source !== null) wanted[source]!.push(joins[i]!);
  });
  const used = list.flatMap((series, i) => (wanted[i]!.length > 0 ? [{ series, joins: wanted[i]! }] : []));
  await walkEffective(
    snapshot,
    { from: minStep, to: last },
    used.map(({ series }) => series),
    tails,
    (index, { points }) => used[index]!.joins.forEach((join) => join.add(points.steps, points.values)),
  );
  return responses.map((response, i) => ({ ...response, x: joins[i]!.finish() }));
}

/** The rising steps of points, or of the last points of buckets. */
function stepsOf({ content }: SeriesResult): BigInt64Array {
  return 'buckets' in content ? wideSteps(content.buckets.lastStep) : content.points.steps;
}

/**
 * The x series that matches another series: from the same writer, or from the run's only writer.
 */
function sourcesOf(list: readonly ScalarSeries[]): (response: Pick<SeriesResult, 'run' | 'writer'>) => number | null {
  const byRun = Map.groupBy(list.keys(), (i) => list[i]!.run);
  return ({ run, writer }) => {
    const own = byRun.get(run) ?? [];
    return own.find((i) => list[i]!.writer === writer) ?? (own.length === 1 ? own[0]! : null);
  };
}

/** The values of one series at the steps of another. */
class Join {
  readonly #steps: BigInt64Array;
  readonly #values: Float64Array;
  #known = 0;
  #current = Number.NaN;

  constructor(steps: BigInt64Array) {
    this.#steps = steps;
    this.#values = new Float64Array(steps.length);
  }

  get last(): bigint {
    return this.#steps[this.#steps.length - 1] ?? minStep;
  }

  /** Adds points with rising steps, which follow the points added before. */
  add(steps: BigInt64Array, values: Float64Array): void {
    const end = steps[steps.length - 1];
    if (end === undefined) return;
    for (; this.#known < this.#steps.length && this.#steps[this.#known]! <= end; this.#known++) {
      const step = this.#steps[this.#known]!;
      const after = lowerBound(steps, step + 1n);
      this.#values[this.#known] = after === 0 ? this.#current : values[after - 1]!;
    }
    this.#current = values[steps.length - 1]!;
  }

  finish(): Float64Array {
    return this.#values.fill(this.#current, this.#known);
  }
}
