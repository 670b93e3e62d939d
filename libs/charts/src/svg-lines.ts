import { type ChartLine, shownValues } from './chart-lines.ts';
import { type LinesLook, linesLook, opacities } from './chart-look.ts';
import type { ChartScales } from './chart-scales.ts';
import type { Scale } from './scale.ts';
import { traceMarks } from './marks.ts';
import { traceSpikes } from './spikes.ts';
import { round } from './svg-text.ts';
import { type Placing, SvgPath, traceBand, traceLine } from './trace.ts';

/**
 * Bands, then the logged values, then spikes, then the smoothed lines, as paths, in the same order
 * as on canvases. `style`: attributes that give a run its color.
 */
export function drawLines(
  lines: readonly ChartLine[],
  scales: ChartScales,
  wide: number,
  tall: number,
  style: (run: string) => string,
  markWidth = markSize,
): string {
  const place = { x: (value: number) => scales.x.position(value) * wide, y: (value: number) => upright(scales.y, value, tall) };
  const look = linesLook(lines.length);
  const bands = new Paths(look, (d) => `fill-opacity="${look.band}" stroke-opacity="0" d="${d}"`);
  const spikes = new Paths(look, (d) => `fill-opacity="0" stroke-opacity="${opacities.spike}" ${fixedWidth} d="${d}"`);
  const logged = new LinePaths(look, opacities.raw);
  const strong = new LinePaths(look, look.opacity);
  const marks = new Paths(look, (d) => `fill-opacity="0" stroke-width="1.25" ${fixedWidth} d="${d}"`);
  const edges = { ...place, top: 0, bottom: tall, size: [markWidth, markSize] as const };
  for (const line of lines) {
    const attributes = style(line.run);
    if (!line.series.raw) {
      if (look.band > 0) bands.trace(attributes, (path) => traceBand(path, line.x, line.band.low, line.band.high, place));
      spikes.trace(attributes, (path) => traceSpikes(path, line, place));
    }
    if (line.smoothed && look.logged) logged.add(attributes, line.x, line.y, place);
    strong.add(attributes, line.x, shownValues(line), place);
    marks.trace(attributes, (path) => traceMarks(path, line, edges));
  }
  return [bands, logged, spikes, strong, marks].map(String).join('');
}

/** Half the size of a mark, in pixels. */
const markSize = 3.5;

const fixedWidth = 'vector-effect="non-scaling-stroke"';

/**
 * Paths of one kind, in creation order. If there are many lines, those with the same style are
 * merged: a page with thousands of elements is slow to lay out.
 */
class Paths {
  readonly #look: LinesLook;
  readonly #element: (d: string) => string;
  readonly #texts: { readonly attributes: string; readonly d: string }[] = [];

  constructor(look: LinesLook, element: (d: string) => string) {
    this.#look = look;
    this.#element = element;
  }

  trace(attributes: string, draw: (path: SvgPath) => void): void {
    const path = new SvgPath();
    draw(path);
    this.add(attributes, path.toString());
  }

  add(attributes: string, d: string): void {
    if (d !== '') this.#texts.push({ attributes, d });
  }

  toString(): string {
    const paths = this.#look.many
      ? [...Map.groupBy(this.#texts, ({ attributes }) => attributes)].map(([attributes, group]) => ({
          attributes,
          d: group.map(({ d }) => d).join(''),
        }))
      : this.#texts;
    return paths.map(({ attributes, d }) => `<path ${attributes} ${this.#element(d)}/>`).join('');
  }
}

/** Lines, and dots for points without a neighbor. */
class LinePaths {
  readonly #lines: Paths;
  readonly #dots: Paths;

  constructor(look: LinesLook, opacity: number) {
    const common = `${opacity < 1 ? `stroke-opacity="${opacity}" ` : ''}${fixedWidth}`;
    this.#lines = new Paths(look, (d) => `fill-opacity="0" stroke-width="${look.width}" stroke-linejoin="round" ${common} d="${d}"`);
    // A zero-length line with round ends remains a dot when the image is stretched
    this.#dots = new Paths(look, (d) => `stroke-width="4" stroke-linecap="round" ${common} d="${d}"`);
  }

  add(attributes: string, xs: Float64Array, ys: Float64Array, place: Placing): void {
    const path = new SvgPath();
    const dots = traceLine(path, xs, ys, place);
    this.#lines.add(attributes, path.toString());
    this.#dots.add(attributes, dots.map(([x, y]) => `M${round(x)} ${round(y)}h0`).join(''));
  }

  toString(): string {
    return this.#lines.toString() + this.#dots.toString();
  }
}

/** Distance of a value from the top. */
export function upright(scale: Scale, value: number, tall: number): number {
  return round((1 - scale.position(value)) * tall);
}
