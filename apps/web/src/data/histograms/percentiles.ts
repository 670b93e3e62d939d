import { formatCount, formatDistinct, makeScale, type Tick, valueTicks, xTicks } from '#charts';
import type { PlotBox } from '../svg-axes.tsx';
import { type Drawing, round } from './drawing.ts';
import type { Histogram } from './histogram.ts';
import { percentilesAlong, type TagScale } from './tag-scale.ts';

/** Bands between percentiles, over the steps. */
export function percentiles(list: readonly Histogram[], scale: TagScale, box: PlotBox): Drawing {
  const axes = scale.percentiles;
  const found = percentilesAlong(list);
  const [only] = found;
  // A single step is drawn across the whole axis, because a band at one step would have no width
  const known = found.length === 1 && only ? [axes.steps.min, axes.steps.max].map((step) => ({ ...only, step })) : found;
  const steps = makeScale('linear', axes.steps.min, axes.steps.max);
  const values = makeScale('linear', axes.values.min, axes.values.max);
  const across = (value: number): number => round(box.left + steps.position(value) * box.width);
  const down = (value: number): number => round(box.top + (1 - values.position(value)) * box.height);
  const bands = [0, 1, 2, 3].map((band) => {
    const upper = known.map(({ step, values: all }) => `${across(step)} ${down(all[8 - band]!)}`);
    const lower = known.map(({ step, values: all }) => `${across(step)} ${down(all[band]!)}`).reverse();
    return { d: known.length === 0 ? '' : `M${[...upper, ...lower].join('L')}Z`, kind: 'band' as const };
  });
  const middle = {
    d: known.map(({ step, values: all }, i) => `${i === 0 ? 'M' : 'L'}${across(step)} ${down(all[4]!)}`).join(''),
    kind: 'middle' as const,
  };
  return {
    paths: [...bands, middle],
    x: xTicks('step', steps, 5, undefined, { wide: box.width, left: box.left, right: box.left }).map((tick) => ({
      ...tick,
      at: across(tick.value),
    })),
    y: percentileTicks(scale).map((tick) => ({ ...tick, at: down(tick.value) })),
    read: (x) => {
      const at = steps.min + ((x - box.left) / box.width) * (steps.max - steps.min);
      const nearest = found.toSorted((a, b) => Math.abs(a.step - at) - Math.abs(b.step - at))[0];
      if (!nearest) return null;
      const shown = formatDistinct([0, 2, 4, 6, 8].map((i) => nearest.values[i]!));
      return { index: -1, text: `step ${formatCount(nearest.text)}: ${shown.join(' · ')}` };
    },
  };
}

/** The labels on the vertical axis. */
export function percentileTicks({ percentiles: { values } }: TagScale): Tick[] {
  return valueTicks(makeScale('linear', values.min, values.max));
}
