import { leftInset, valueTicks, xTicks } from './axis-ticks.ts';
import type { ChartLine } from './chart-lines.ts';
import { plotInsets } from './chart-look.ts';
import type { ChartScales } from './chart-scales.ts';
import type { RunStyle } from './run-colors.ts';
import { drawLines, upright } from './svg-lines.ts';
import { escapeXml, round } from './svg-text.ts';
import type { View } from './view.ts';

/** The parts of a chart for a page: the plot stretches to its container, the labels do not. */
export interface ChartParts {
  readonly plot: string;
  readonly yLabels: string;
  readonly xLabels: string;
}

/** Coordinates of the stretching plot. */
const across = 1000;
/** The width of the narrowest plot and its left inset, in pixels. */
const narrowest = 330;

/**
 * A chart that a page shows before any script has run. It is SVG with the page's colors (classes
 * `c0` to `c9` for runs, `grid`), for a chart of this height and any width.
 */
export function chartParts(
  lines: readonly ChartLine[],
  scales: ChartScales,
  styles: ReadonlyMap<string, RunStyle>,
  view: Pick<View, 'xAxis'>,
  height: number,
): ChartParts {
  const tall = height - plotInsets.top - plotInsets.bottom;
  const y = valueTicks(scales.y);
  const left = leftInset(y.map(({ label }) => label));
  const inset = left === plotInsets.left ? '' : ` inset-${left}`;
  // Narrow cards have about this width; labels that fit there fit everywhere
  const x = xTicks(view.xAxis, scales.x, 5, () => 0, { wide: narrowest - left, left, right: plotInsets.right });
  const drawn = drawLines(
    lines,
    scales,
    across,
    tall,
    (run) => {
      const { color = 0, dash = 0 } = styles.get(run) ?? {};
      return `class="c${color}${dash > 0 ? ` d${dash}` : ''}"`;
    },
    (3.5 * across) / narrowest,
  );
  const grid = y.map(({ value }) => `M0 ${upright(scales.y, value, tall)}H${across}`).join('');
  return {
    plot: `<svg class="plot${inset}" viewBox="0 0 ${across} ${tall}" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="${grid}"/>${drawn}</svg>`,
    yLabels: `<svg class="y-labels${inset}" aria-hidden="true">${y
      .map(
        ({ value, label }) =>
          `<text x="${left - 8}" y="${round((upright(scales.y, value, tall) / tall) * 100)}%" dy="4" text-anchor="end">${escapeXml(label)}</text>`,
      )
      .join('')}</svg>`,
    xLabels: `<svg class="x-labels${inset}" aria-hidden="true">${x
      .map(
        ({ value, label }) => `<text x="${round(scales.x.position(value) * 100)}%" y="16" text-anchor="middle">${escapeXml(label)}</text>`,
      )
      .join('')}</svg>`,
  };
}
