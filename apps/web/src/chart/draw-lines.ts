import {
  bandOpacity,
  type ChartLine,
  dashes,
  firstAfter,
  firstAtOrAfter,
  opacities,
  palettes,
  type Placing,
  shownValues,
  traceBand,
  traceLine,
  traceSpikes,
} from '#charts';
import type { PlotContent } from './plot-content.ts';

/** Colours of what is no line. */
export interface Ink {
  readonly label: string;
  readonly grid: string;
  /** What the chart stands on. */
  readonly ground: string;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws lines into a part of a canvas, in its own pixels: bands of buckets, what was logged, and over that the (smoothed) lines. `strong`: those
 * that are pointed at.
 */
export function drawLines(
  context: CanvasRenderingContext2D,
  box: Box,
  { lines, scales, styles, theme, ghosts }: PlotContent,
  ratio: number,
  strong = false,
): void {
  const place: Placing = {
    x: (value) => box.left + scales.x.position(value) * box.width,
    y: (value) => box.top + (1 - scales.y.position(value)) * box.height,
  };
  const band = strong ? opacities.band * 1.5 : bandOpacity(lines.length);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  context.lineJoin = lines.length > 100 ? 'bevel' : 'round'; // rounding thousands of corners is what takes the time then
  const pens = lines.map((line) => ({ line, ...partOf(line, scales.x.min, scales.x.max), color: colorOf(line.run, styles, theme) }));
  if (band > 0) {
    context.globalAlpha = band;
    for (const { line, from, to, color } of pens) {
      if (line.series.raw) continue;
      const path = new Path2D();
      traceBand(path, line.x, line.band.low, line.band.high, place, from, to);
      context.fillStyle = color;
      context.fill(path); // oxlint-disable-line unicorn/no-array-fill-with-reference-type -- a canvas is no array
    }
  }
  const stroke = (xs: Float64Array, ys: Float64Array, from: number, to: number, color: string): void => {
    const path = new Path2D();
    const dots = traceLine(path, xs, ys, place, from, to);
    context.strokeStyle = color;
    context.stroke(path);
    context.fillStyle = color;
    for (const [x, y] of dots) {
      context.beginPath();
      context.arc(x, y, 2 * ratio, 0, 2 * Math.PI);
      context.fill();
    }
  };
  context.lineWidth = ratio;
  context.globalAlpha = strong ? 0.5 : opacities.raw;
  for (const { line, from, to, color } of pens) if (line.smoothed && lines.length <= 200) stroke(line.x, line.y, from, to, color);
  context.globalAlpha = opacities.spike;
  for (const { line, from, to, color } of pens) {
    if (line.series.raw) continue;
    const path = new Path2D();
    traceSpikes(path, line, place, from, to);
    context.strokeStyle = color;
    context.stroke(path);
  }
  context.globalAlpha = lines.length > 60 && !strong ? 0.6 : 1;
  context.lineWidth = (strong ? 2.25 : 1.5) * ratio;
  for (const { line, from, to, color } of pens) {
    const pattern = dashes[styles.get(line.run)?.dash ?? 0] ?? [];
    context.setLineDash(pattern.map((length) => length * ratio));
    stroke(line.x, shownValues(line), from, to, color);
  }
  context.lineWidth = ratio;
  context.globalAlpha = 0.8;
  context.setLineDash([1.5 * ratio, 2.5 * ratio]);
  for (const { run, x, y } of ghosts) stroke(x, y, 0, x.length, colorOf(run, styles, theme));
  context.restore();
}

/** The entries that are seen, and one more on each side, so that lines go on to the edges. */
function partOf({ x }: ChartLine, min: number, max: number): { readonly from: number; readonly to: number } {
  return { from: Math.max(0, firstAtOrAfter(x, min) - 1), to: Math.min(x.length, firstAfter(x, max) + 1) };
}

/** The colour of a run's lines. */
export function colorOf(run: string, styles: PlotContent['styles'], theme: PlotContent['theme']): string {
  return palettes[theme][styles.get(run)?.color ?? 0]!;
}
