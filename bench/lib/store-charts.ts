import type { ExperimentId } from '#model';
import { readScalars, type ScalarResult, type ScalarRequest, scalarsJson } from '#series';
import type { LocalStore } from './local-store.ts';

/** The request for a chart of one tag (null: all tags) and all runs, or only `runs`. */
export interface ChartRequest {
  readonly experimentId: ExperimentId;
  readonly tag: string | null;
  readonly runs?: readonly string[];
  readonly from?: bigint;
  readonly to?: bigint;
}

const buckets = 1_000;

/**
 * Reads a chart of 1,000 buckets as the service does. Returns the milliseconds from the query to
 * the bytes of the response.
 */
export async function chartOnce(
  local: LocalStore,
  chartRequest: ChartRequest,
): Promise<{ readonly milliseconds: number; readonly response: ScalarResult }> {
  const request: ScalarRequest = {
    experimentId: chartRequest.experimentId,
    runs: chartRequest.runs ?? null,
    tags: chartRequest.tag === null ? null : [chartRequest.tag],
    plugin: null,
    unlisted: false,
    from: chartRequest.from ?? null,
    to: chartRequest.to ?? null,
    sampling: 'minmax',
    points: buckets,
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 10_000,
    pageToken: null,
    view: null,
  };
  const started = performance.now();
  const response = await readScalars(local.store, local.tenantId, request, async () => undefined);
  const written = (await scalarsJson(response, null)).length;
  if (written === 0) throw new Error('empty response');
  return { milliseconds: performance.now() - started, response };
}

/**
 * Returns the number of points that the buckets of a response cover: a fast but wrong response is
 * worthless.
 */
export function pointsOf({ series }: ScalarResult): number {
  return series.reduce(
    (sum, { content }) => sum + ('buckets' in content ? content.buckets.count.reduce((a, b) => a + b, 0) : content.points.steps.length),
    0,
  );
}
