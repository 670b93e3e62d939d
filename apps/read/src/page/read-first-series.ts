import type { ScalarSeries } from '#charts';
import { requireExperiment } from '#experiments';
import type { Caller } from '#http';
import { readScalars } from '#series';
import type { Store } from '#store';
import { chartSeries } from '../pictures/chart-series.ts';
import type { FirstWish } from '../web/index.ts';

/** What the first charts of a page are drawn from, as far as the caller may see it. */
export async function readFirstSeries(
  store: Store,
  caller: Caller,
  experimentId: string,
  { tags, points, steps }: FirstWish,
): Promise<ScalarSeries[]> {
  if (tags.length === 0) return [];
  const range = { from: steps && BigInt(steps.from), to: steps && BigInt(steps.to) };
  const selection = { experimentId, runs: null, tags, plugin: null, unlisted: false, ...range, view: caller.view };
  const sampling = { sampling: 'minmax', points, align: 'tag', seed: '0', superseded: false, pageSize: 1, pageToken: null } as const;
  const admit = (trx: Parameters<typeof requireExperiment>[0]) => requireExperiment(trx, caller, experimentId, 'experiment.view');
  const { series } = await readScalars(store, caller.tenantId, { ...selection, ...sampling }, admit);
  return series.map(chartSeries);
}
