import { isDeepStrictEqual } from 'node:util';
import type { Shown, ShownSeries } from './shown.ts';

/** A difference between the responses of two viewers. */
export interface Difference {
  /** `runs`, `enabled`, `faults`, `hparams`, `layout`, or the plugin of a series. */
  readonly plugin: string;
  readonly run: string;
  readonly tag: string;
  /** `missing`: only in the first; `added`: only in the second. */
  readonly what: 'missing' | 'added' | 'about' | 'steps' | 'wall times' | 'values';
  readonly direct: unknown;
  readonly ours: unknown;
}

/** Returns the differences between `ours` and `direct`; empty if there are none. */
export function differences(direct: Shown, ours: Shown): Difference[] {
  const found: Difference[] = [];
  const names = (plugin: string, a: readonly string[], b: readonly string[]): void => {
    for (const run of a) if (!b.includes(run)) found.push({ plugin, run, tag: '', what: 'missing', direct: run, ours: null });
    for (const run of b) if (!a.includes(run)) found.push({ plugin, run, tag: '', what: 'added', direct: null, ours: run });
  };
  names('runs', direct.runs, ours.runs);
  names('enabled', direct.enabled, ours.enabled);
  names('faults', direct.faults, ours.faults);
  for (const plugin of new Set([...direct.plugins.keys(), ...ours.plugins.keys()])) {
    const [a, b] = [direct.plugins.get(plugin), ours.plugins.get(plugin)];
    for (const run of new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])) {
      const [tags, others] = [a?.get(run), b?.get(run)];
      for (const tag of new Set([...(tags?.keys() ?? []), ...(others?.keys() ?? [])])) {
        const [one, other] = [tags?.get(tag), others?.get(tag)];
        const place = { plugin, run, tag };
        if (!one || !other) found.push({ ...place, what: one ? 'missing' : 'added', direct: one ?? null, ours: other ?? null });
        else found.push(...seriesDifferences(one, other).map((difference) => ({ ...place, ...difference })));
      }
    }
  }
  const whole = { run: '', tag: '', what: 'values' } as const;
  if (!isDeepStrictEqual(direct.hparams, ours.hparams))
    found.push({ plugin: 'hparams', ...whole, direct: direct.hparams, ours: ours.hparams });
  if (!isDeepStrictEqual(direct.layout, ours.layout)) found.push({ plugin: 'layout', ...whole, direct: direct.layout, ours: ours.layout });
  return found;
}

/**
 * Returns the first kind of difference between two series; later differences would only repeat it.
 */
function seriesDifferences(a: ShownSeries, b: ShownSeries): Pick<Difference, 'what' | 'direct' | 'ours'>[] {
  const found: Pick<Difference, 'what' | 'direct' | 'ours'>[] = [];
  if (!isDeepStrictEqual(a.about, b.about)) found.push({ what: 'about', direct: a.about, ours: b.about });
  for (const [index, what] of (['steps', 'wall times', 'values'] as const).entries()) {
    const column = ({ points }: ShownSeries): unknown[] => points.map((point) => point[index]);
    if (isDeepStrictEqual(column(a), column(b))) continue;
    found.push({ what, direct: a.points, ours: b.points });
    break;
  }
  return found;
}
