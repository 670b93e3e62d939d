import { formatCount, formatRange, makeScale, tickLabels, valueTicks } from '#charts';
import type { PlotBox } from '../svg-axes.tsx';
import { columnAt, type Columns, columnsOf } from './columns.ts';
import { type Drawing, round } from './drawing.ts';
import { binAt, type Histogram } from './histogram.ts';
import type { TagScale } from './tag-scale.ts';

/** Maximum height of one of several stacked histograms, as a fraction of the total height. */
const ridgeShare = 0.45;

/**
 * Draws each step as a shape over the values: one in front of the other (`behind`), or all on one
 * baseline. A shape's area is its count, on a scale that all steps and runs of the tag share. Null
 * if the tag has no bins.
 */
export function ridges(list: readonly Histogram[], scale: TagScale, box: PlotBox, behind: boolean): Drawing | null {
  const { edges } = scale;
  if (!edges) return null;
  const several = behind && list.length > 1;
  const tall = several ? box.height * ridgeShare : box.height;
  const ground = (i: number): number => (several ? box.top + tall + ((box.height - tall) * i) / (list.length - 1) : box.top + box.height);
  const values = makeScale('linear', edges.min, edges.max);
  const axis = { ...edges, width: box.width };
  const unit = tall / scale.densest(box.width);
  const shapes = list.map(({ bins }) => columnsOf(bins, axis));
  const topOf = (i: number, column: number): number => {
    const { edges: sides, counts } = shapes[i]!;
    return ground(i) - (counts[column]! / (sides[column + 1]! - sides[column]!)) * unit;
  };
  return {
    paths: shapes.map((shape, i) => ({
      d: outline(shape, box, ground(i), unit),
      kind: 'step' as const,
      opacity: opacityOf(i, list.length),
    })),
    x: valueTicks(values, 5, { wide: box.width, left: box.left, right: box.left }).map((tick) => ({
      ...tick,
      at: round(box.left + values.position(tick.value) * box.width),
    })),
    y: behind ? stepTicks(list, ground) : [],
    read: (x, y) => {
      const pixel = x - box.left;
      const away = (i: number): number => Math.abs((behind ? ground(i) - 4 : topOf(i, columnAt(shapes[i]!, pixel))) - y);
      const index = list.reduce((best, _, i) => (away(i) <= away(best) ? i : best), 0);
      const found = list[index];
      if (!found) return null;
      const { edges: sides } = shapes[index]!;
      const column = columnAt(shapes[index]!, pixel);
      const valueAt = (at: number): number => edges.min * (1 - at / box.width) + edges.max * (at / box.width);
      const reach = valueAt(sides[column + 1]!) - valueAt(sides[column]!);
      const bin = binAt(found, valueAt(pixel), reach);
      return { index, text: `step ${formatCount(found.step)}: ${bin ? binText(bin) : 'no value here'}` };
    },
  };
}

/** The outline of the columns, from the left end of the baseline to the right end. */
function outline({ edges, counts }: Columns, box: PlotBox, ground: number, unit: number): string {
  let d = `M${box.left} ${round(ground)}`;
  let top = round(ground);
  for (let i = 0; i < counts.length; i++) {
    const next = round(ground - (counts[i]! / (edges[i + 1]! - edges[i]!)) * unit);
    if (next !== top) d += `H${round(box.left + edges[i]!)}V${next}`;
    top = next;
  }
  d += `H${box.left + box.width}`;
  return top === round(ground) ? d : `${d}V${round(ground)}`;
}

function binText({ left, right, count }: Histogram['bins'][number]): string {
  const text = formatCount(Math.round(count * 100) / 100);
  const [from, to] = formatRange(left, right);
  return left === right ? `${text} at ${from}` : `${text} from ${from} to ${to}`;
}

function stepTicks(list: readonly Histogram[], ground: (index: number) => number) {
  const labels = stepLabels(list);
  return labelledSteps(list).map((i, order) => ({ value: Number(list[i]!.step), label: labels[order]!, at: round(ground(i)) }));
}

/** Which histograms have a label. */
function labelledSteps(list: readonly Histogram[]): number[] {
  const every = Math.max(1, Math.ceil(list.length / 5));
  return [...list.keys()].filter((i) => (list.length - 1 - i) % every === 0);
}

/**
 * The labels of stacked histograms on the vertical axis. Steps beyond 2^53 may become the same
 * number, so labels show all digits.
 */
export function stepLabels(list: readonly Histogram[]): string[] {
  const steps = labelledSteps(list).map((i) => list[i]!.step);
  const numbers = steps.map(Number);
  if (new Set(numbers).size < steps.length || numbers.every((step) => Math.abs(step) < 1e5)) return steps.map(formatCount);
  return tickLabels(numbers, 0);
}

/** The first steps are faint and the last one is opaque. */
function opacityOf(index: number, count: number): number {
  return count < 2 ? 1 : round(0.3 + (0.7 * index) / (count - 1));
}
