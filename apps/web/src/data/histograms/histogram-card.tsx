import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { formatCount, formatValue, type HistogramForm, makeScale, type Scale, valueTicks, xTicks } from '#charts';
import { useContents, useView } from '../../experiment/experiment-context.ts';
import { RunCaption } from '../run-caption.tsx';
import { type PlotBox, SvgAxes } from '../svg-axes.tsx';
import { useWidth } from '../use-width.ts';
import type { TensorSeries } from '../values.ts';
import { densestOf, densityOf, edgesOf, type Histogram, percentilesOf, readHistogram } from './histogram.ts';

const height = 206;
const insets = { left: 16, top: 8, right: 56, bottom: 24 };
/** Share of the height that one histogram of several behind one another may take. */
const ridgeShare = 0.45;

/** The histograms of one run, with what the pointer is at. */
export function HistogramCard({ series }: { readonly series: TensorSeries }) {
  const form = useView(({ histograms }) => histograms);
  const { styles } = useContents();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<{ readonly x: number; readonly y: number } | null>(null);
  const list = useMemo(() => series.columns.step.map((step, i) => readHistogram(step, series.columns.value[i]!)), [series]);
  const edges = useMemo(() => edgesOf(list), [list]);
  const move = ({ clientX, clientY, currentTarget }: PointerEvent): void => {
    const { left, top } = currentTarget.getBoundingClientRect();
    setAt({ x: clientX - left, y: clientY - top });
  };
  const plot: PlotBox = {
    left: insets.left,
    top: insets.top,
    width: Math.max(1, width - insets.left - insets.right),
    height: height - insets.top - insets.bottom,
  };
  const drawing = edges && width > 0 ? drawingOf(form, list, edges, plot) : null;
  const found = at && drawing ? drawing.read(at.x, at.y) : null;
  return (
    <div className="card">
      <header>
        <h3>
          <RunCaption run={series.run} />
        </h3>
        <span className="card-note">
          {found?.text ??
            `${formatCount(list.length)} of ${formatCount(series.source_points)} ${Number(series.source_points) === 1 ? 'step' : 'steps'}`}
        </span>
      </header>
      <div className="chart-box" ref={box}>
        {!edges && <p className="chart-message">Nothing but NaN, or no value at all.</p>}
        {drawing && (
          <svg
            className={`histogram ${form} c${styles.get(series.run)?.color ?? 0}`}
            width={width}
            height={height}
            role="img"
            aria-label={`${form} of ${list.length} histograms`}
            onPointerMove={move}
            onPointerLeave={() => setAt(null)}
          >
            <SvgAxes box={plot} x={drawing.x} y={drawing.y} side="right" />
            {drawing.paths.map(({ d, kind, opacity }, i) => (
              <path key={i} className={`${kind}${found?.index === i ? ' on' : ''}`} opacity={opacity} d={d} />
            ))}
          </svg>
        )}
      </div>
    </div>
  );
}

interface Drawing {
  /** `opacity`: where the style sheet says nothing else. */
  readonly paths: readonly { readonly d: string; readonly kind: 'step' | 'band' | 'middle'; readonly opacity?: number }[];
  readonly x: readonly { readonly value: number; readonly label: string; readonly at: number }[];
  readonly y: readonly { readonly value: number; readonly label: string; readonly at: number }[];
  /** What is there, and which path it is. */
  read(x: number, y: number): { readonly index: number; readonly text: string } | null;
}

type Edges = NonNullable<ReturnType<typeof edgesOf>>;

function drawingOf(form: HistogramForm, list: readonly Histogram[], edges: Edges, box: PlotBox): Drawing {
  return form === 'percentiles' ? percentiles(list, box) : ridges(list, edges, box, form === 'offset');
}

/** Each step as a figure over the values, one in front of the other, or all on one ground. */
function ridges(list: readonly Histogram[], edges: Edges, box: PlotBox, behind: boolean): Drawing {
  const scale = makeScale('linear', edges.min, edges.max);
  const least = (edges.max - edges.min) / 200;
  const densest = densestOf(list, least);
  const tall = behind && list.length > 1 ? box.height * ridgeShare : box.height;
  const ground = (i: number): number =>
    behind && list.length > 1 ? box.top + tall + ((box.height - tall) * i) / (list.length - 1) : box.top + box.height;
  const across = (value: number): number => round(box.left + scale.position(value) * box.width);
  const paths = list.map(({ bins }, i) => {
    let d = `M${box.left} ${round(ground(i))}`;
    let last: number | null = null; // bins beside one another are one figure: outlines of narrow ones would cover it
    for (const bin of bins) {
      const top = round(ground(i) - (densityOf(bin, least) / densest) * tall);
      const right = bin.right - bin.left < least ? bin.left + least : bin.right;
      const left = across(bin.left);
      if (left !== last) d += `${last === null ? '' : `V${round(ground(i))}`}H${left}`;
      last = across(right);
      d += `V${top}H${last}`;
    }
    if (last !== null) d += `V${round(ground(i))}`;
    return { d: `${d}H${box.left + box.width}`, kind: 'step' as const, opacity: opacityOf(i, list.length) };
  });
  const rows = behind ? stepTicks(list, ground) : [];
  return {
    paths,
    x: valueTicks(scale).map((tick) => ({ ...tick, at: across(tick.value) })),
    y: rows,
    read: (x, y) => {
      const value = edges.min + ((x - box.left) / box.width) * (edges.max - edges.min);
      let index = list.length - 1;
      if (behind) index = list.reduce((best, _, i) => (Math.abs(ground(i) - 4 - y) < Math.abs(ground(best) - 4 - y) ? i : best), 0);
      const found = list[index];
      if (!found) return null;
      const bin = found.bins.find(({ left, right }) => value >= left && value <= right);
      const what = bin
        ? `${formatCount(Math.round(bin.count * 100) / 100)} from ${formatValue(bin.left)} to ${formatValue(bin.right)}`
        : 'no value here';
      return { index, text: `step ${formatCount(found.step)}: ${what}` };
    },
  };
}

/** Bands between percentiles, along the steps. */
function percentiles(list: readonly Histogram[], box: PlotBox): Drawing {
  const found = list.flatMap((one) => {
    const values = percentilesOf(one);
    return values ? [{ step: Number(one.step), text: one.step, values }] : [];
  });
  // One alone is as wide as the drawing
  const known = found.length === 1 ? [-0.5, 0.5].map((side) => ({ ...found[0]!, step: found[0]!.step + side })) : found;
  const steps = makeScale('linear', known[0]?.step ?? 0, known.at(-1)?.step ?? 1);
  const low = Math.min(...known.map(({ values }) => values[0]!));
  const high = Math.max(...known.map(({ values }) => values.at(-1)!));
  const scale = makeScale('linear', low, high > low ? high : low + 1);
  const across = (value: number): number => round(box.left + steps.position(value) * box.width);
  const down = (value: number): number => round(box.top + (1 - scale.position(value)) * box.height);
  const paths = [0, 1, 2, 3].map((band) => {
    const upper = known.map(({ step, values }) => `${across(step)} ${down(values[8 - band]!)}`);
    const lower = known.map(({ step, values }) => `${across(step)} ${down(values[band]!)}`).reverse();
    return { d: known.length === 0 ? '' : `M${[...upper, ...lower].join('L')}Z`, kind: 'band' as const };
  });
  const middle = {
    d: known.map(({ step, values }, i) => `${i === 0 ? 'M' : 'L'}${across(step)} ${down(values[4]!)}`).join(''),
    kind: 'middle' as const,
  };
  return {
    paths: [...paths, middle],
    x: xTicks('step', steps).map((tick) => ({ ...tick, at: across(tick.value) })),
    y: valueTicks(scale).map((tick) => ({ ...tick, at: down(tick.value) })),
    read: (x) => {
      const at = steps.min + ((x - box.left) / box.width) * (steps.max - steps.min);
      const nearest = known.toSorted((a, b) => Math.abs(a.step - at) - Math.abs(b.step - at))[0];
      if (!nearest) return null;
      const { values } = nearest;
      return {
        index: -1,
        text: `step ${formatCount(nearest.text)}: ${formatValue(values[0]!)} · ${formatValue(values[2]!)} · ${formatValue(values[4]!)} · ${formatValue(values[6]!)} · ${formatValue(values[8]!)}`,
      };
    },
  };
}

function stepTicks(list: readonly Histogram[], ground: (index: number) => number) {
  const every = Math.max(1, Math.ceil(list.length / 5));
  return list.flatMap(({ step }, i) =>
    (list.length - 1 - i) % every === 0 ? [{ value: Number(step), label: shortStep(step), at: ground(i) }] : [],
  );
}

function shortStep(step: number | string): string {
  const value = Number(step);
  return Math.abs(value) < 1e5
    ? formatCount(step)
    : (valueTicks(stepScale(value)).find((tick) => tick.value === value)?.label ?? value.toPrecision(4));
}

function stepScale(value: number): Scale {
  return makeScale('linear', 0, value);
}

/** The first steps are faint, the last one is not. */
function opacityOf(index: number, count: number): number {
  return count < 2 ? 1 : round(0.3 + (0.7 * index) / (count - 1));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
