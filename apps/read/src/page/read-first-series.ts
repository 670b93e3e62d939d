import { type FirstQuery, type FirstSeries, type ScalarSeries, wholeStep } from '#charts';
import { requireExperiment } from '#experiments';
import type { Caller } from '#http';
import type { ExperimentId } from '#model';
import { readScalars } from '#series';
import type { Store, TenantScope } from '#store';
import { chartSeries } from '../pictures/chart-series.ts';

const nothing: FirstSeries = { whole: [], parts: [] };

/** The data for the first charts of a page, limited to what the caller may see. */
export async function readFirstSeries(
  store: Store,
  caller: Caller,
  experimentId: ExperimentId,
  { tags, points, steps, smoothing, spacing }: FirstQuery,
): Promise<FirstSeries> {
  if (tags.length === 0) return nothing;
  const selection = { experimentId, runs: null, tags, plugin: null, unlisted: false, view: caller.view };
  const sampling = {
    sampling: 'minmax',
    points,
    smoothing,
    spacing,
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 1,
    pageToken: null,
  } as const;
  const admit = (scope: TenantScope) => requireExperiment(scope, caller, experimentId, 'experiment.view');
  const read = async (from: bigint | null, to: bigint | null): Promise<ScalarSeries[]> => {
    const { series, severalWriters } = await readScalars(store, caller.tenantId, { ...selection, ...sampling, from, to }, admit);
    return series.map((one) => chartSeries(one, smoothing, severalWriters));
  };
  const [whole, parts] = await Promise.all([read(null, null), steps ? read(wholeStep(steps.from), wholeStep(steps.to)) : []]);
  return { whole, parts };
}
