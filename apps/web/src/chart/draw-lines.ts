import {
  type ChartLine,
  dashes,
  type Dots,
  entriesAround,
  linesLook,
  opacities,
  palettes,
  type Placing,
  shownValues,
  traceBand,
  traceLine,
  traceMarks,
  traceSpikes,
} from '#charts';
import type { PlotContent } from './plot-content.ts';

/** Colors of everything except lines. */
export interface Ink {
  readonly label: string;
  readonly grid: string;
  /** The chart's background. */
  readonly ground: string;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Radius of a point without neighbors, in page pixels. */
const dotRadius = 2;
/** Half the size of the mark for a non-finite value. */
const markSize = 3.5;

/**
 * How lines are drawn. `strong`: highlighted. `draft`: as thin as possible, which takes a third of
 * the time on a computer without a graphics card.
 */
export type LineWeight = 'plain' | 'strong' | 'draft';

/**
 * Draws a chart's lines into a part of a canvas, in canvas pixels: first {@link drawBehind}, then
 * {@link drawAbove}.
 */
export function drawLines(context: CanvasRenderingContext2D, box: Box, content: PlotContent, ratio: number, weight: LineWeight): void {
  drawBehind(context, box, content, ratio, weight);
  drawAbove(context, box, content, ratio, weight);
}

/**
 * Draws everything that the smoothing does not change: the bands of buckets, the logged values
 * behind smoothed lines, and the spikes.
 */
export function drawBehind(context: CanvasRenderingContext2D, box: Box, content: PlotContent, ratio: number, weight: LineWeight): void {
  const { pens, look, place, stroke } = begin(context, box, content, ratio);
  const strong = weight === 'strong';
  const band = strong ? look.band * 1.5 : look.band;
  if (band > 0) {
    context.globalAlpha = band;
    for (const { parts, color } of pens)
      for (const { line, from, to } of parts) {
        if (line.series.raw) continue;
        context.beginPath();
        traceBand(context, line.x, line.band.low, line.band.high, place, from, to);
        context.fillStyle = color;
        context.fill();
      }
  }
  context.lineWidth = ratio;
  context.globalAlpha = strong ? 0.5 : opacities.raw;
  if (look.logged)
    for (const { parts, color } of pens)
      stroke(color, () =>
        parts.flatMap(({ line, from, to }) => (line.smoothed ? traceLine(context, line.x, line.y, place, from, to) : [])),
      );
  context.globalAlpha = opacities.spike;
  for (const { parts, color } of pens)
    stroke(color, () => {
      for (const { line, from, to } of parts) traceSpikes(context, line, place, from, to);
      return [];
    });
  context.restore();
}

/** Draws the (smoothed) lines, and on top the marks of non-finite values and superseded points. */
export function drawAbove(context: CanvasRenderingContext2D, box: Box, content: PlotContent, ratio: number, weight: LineWeight): void {
  const { pens, look, place, stroke } = begin(context, box, content, ratio);
  context.globalAlpha = look.opacity;
  const thin = look.many || weight === 'draft';
  // Lines one canvas pixel wide are fast to draw
  context.lineWidth = weight === 'strong' ? 2.25 * ratio : thin ? 1 : look.width * ratio;
  if (thin) context.lineJoin = 'bevel';
  for (const { parts, color, dash } of pens) {
    context.setLineDash(dash.map((length) => length * ratio));
    stroke(color, () => parts.flatMap(({ line, from, to }) => traceLine(context, line.x, shownValues(line), place, from, to)));
  }
  context.lineJoin = look.many ? 'bevel' : 'round';
  context.setLineDash([]);
  context.lineWidth = 1.5 * ratio;
  const edges = { ...place, top: box.top, bottom: box.top + box.height, size: [markSize * ratio, markSize * ratio] as const };
  for (const { parts, color } of pens)
    stroke(color, () => {
      for (const { line, from, to } of parts) traceMarks(context, line, edges, from, to);
      return [];
    });
  context.lineWidth = ratio;
  context.globalAlpha = 0.8;
  context.setLineDash([1.5 * ratio, 2.5 * ratio]);
  for (const { run, x, y } of content.ghosts) stroke(colorOf(run, content.styles, content.theme), () => traceLine(context, x, y, place));
  context.restore();
}

/** Saves the context's state and clips drawing to the plot. `restore` ends both. */
function begin(context: CanvasRenderingContext2D, box: Box, { lines, scales, styles, theme }: PlotContent, ratio: number) {
  const place: Placing = {
    x: (value) => box.left + scales.x.position(value) * box.width,
    y: (value) => box.top + (1 - scales.y.position(value)) * box.height,
  };
  const look = linesLook(lines.length);
  context.save();
  context.beginPath();
  const air = dotRadius * ratio; // so that a dot at the very end of an axis is complete
  context.rect(box.left - air, box.top - air, box.width + 2 * air, box.height + 2 * air);
  context.clip();
  context.lineJoin = look.many ? 'bevel' : 'round'; // rounding thousands of corners is slow
  const pens = pensOf(
    lines.map((line): Part => ({ line, ...partOf(line, scales.x.min, scales.x.max) })),
    styles,
    theme,
    look.many,
  );
  const stroke = (color: string, trace: () => Dots): void => {
    context.beginPath();
    const dots = trace();
    context.strokeStyle = color;
    context.stroke();
    context.fillStyle = color;
    for (const [x, y] of dots) {
      context.beginPath();
      context.arc(x, y, dotRadius * ratio, 0, 2 * Math.PI);
      context.fill();
    }
  };
  return { pens, look, place, stroke };
}

/** A line and its visible entries. */
interface Part {
  readonly line: ChartLine;
  readonly from: number;
  readonly to: number;
}

/** The paths to draw with one stroke. */
interface Pen {
  readonly color: string;
  readonly dash: readonly number[];
  readonly parts: readonly Part[];
}

/** A pen for each line. If there are many lines, all lines of the same style share a pen. */
function pensOf(parts: readonly Part[], styles: PlotContent['styles'], theme: PlotContent['theme'], many: boolean): Pen[] {
  const penOf = ({ line: { run } }: Part, all: readonly Part[]): Pen => ({
    color: colorOf(run, styles, theme),
    dash: dashes[styles.get(run)?.dash ?? 0] ?? [],
    parts: all,
  });
  if (!many) return parts.map((part) => penOf(part, [part]));
  const groups = Map.groupBy(parts, ({ line: { run } }) => {
    const { color, dash } = styles.get(run) ?? { color: 0, dash: 0 };
    return color * dashes.length + dash;
  });
  return [...groups.values()].map((group) => penOf(group[0]!, group));
}

/** The visible entries, plus one on each side so that lines continue to the edges. */
export function partOf({ x }: ChartLine, min: number, max: number): { readonly from: number; readonly to: number } {
  return entriesAround(x, min, max);
}

/** The color of a run's lines. */
export function colorOf(run: string, styles: PlotContent['styles'], theme: PlotContent['theme']): string {
  return palettes[theme][styles.get(run)?.color ?? 0]!;
}
