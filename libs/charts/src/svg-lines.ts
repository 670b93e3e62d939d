import { type ChartLine, shownValues } from './chart-lines.ts';
import { bandOpacity, opacities } from './chart-look.ts';
import type { ChartScales } from './chart-scales.ts';
import type { Scale } from './scale.ts';
import { traceSpikes } from './spikes.ts';
import { round } from './svg-text.ts';
import { type Placing, SvgPath, traceBand, traceLine } from './trace.ts';

/** Bands, then what was logged, then the smoothed lines, as paths. `style`: attributes that give a run its colour. */
export function drawLines(
  lines: readonly ChartLine[],
  scales: ChartScales,
  wide: number,
  tall: number,
  style: (run: string) => string,
): string {
  const place = { x: (value: number) => scales.x.position(value) * wide, y: (value: number) => upright(scales.y, value, tall) };
  const band = bandOpacity(lines.length);
  const bands: string[] = [];
  const logged: string[] = [];
  const strong: string[] = [];
  for (const line of lines) {
    const attributes = style(line.run);
    if (!line.series.raw) {
      const path = new SvgPath();
      if (band > 0) traceBand(path, line.x, line.band.low, line.band.high, place);
      const text = path.toString();
      if (band > 0 && text !== '') bands.push(`<path ${attributes} fill-opacity="${band}" stroke-opacity="0" d="${text}"/>`);
      const spikes = new SvgPath();
      traceSpikes(spikes, line, place);
      const standing = spikes.toString();
      if (standing !== '')
        logged.push(
          `<path ${attributes} fill-opacity="0" stroke-opacity="${opacities.spike}" vector-effect="non-scaling-stroke" d="${standing}"/>`,
        );
    }
    if (line.smoothed) logged.push(lineOf(line.x, line.y, place, `${attributes} stroke-opacity="${opacities.raw}"`));
    strong.push(lineOf(line.x, shownValues(line), place, attributes));
  }
  return [...bands, ...logged, ...strong].join('');
}

function lineOf(xs: Float64Array, ys: Float64Array, place: Placing, attributes: string): string {
  const path = new SvgPath();
  const dots = traceLine(path, xs, ys, place);
  // A line of no length with round ends is a dot, whatever the picture is stretched to
  for (const [x, y] of dots) path.moveTo(x, y);
  const dotted = dots.map(([x, y]) => `M${round(x)} ${round(y)}h0`).join('');
  const line = path.toString();
  return (
    (line === ''
      ? ''
      : `<path ${attributes} fill-opacity="0" stroke-width="1.5" stroke-linejoin="round" vector-effect="non-scaling-stroke" d="${line}"/>`) +
    (dotted === '' ? '' : `<path ${attributes} stroke-width="4" stroke-linecap="round" vector-effect="non-scaling-stroke" d="${dotted}"/>`)
  );
}

/** How far below the top a value lies. */
export function upright(scale: Scale, value: number, tall: number): number {
  return round((1 - scale.position(value)) * tall);
}
