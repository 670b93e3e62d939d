import type { Theme } from '#charts';
import { rampColor } from '../../app/ramp.ts';
import { heatMarks, type HeatPixels } from './heat-cells.ts';

const shades = 256;

/**
 * The color for values that have no position on the scale (log: 0 and below), and the two hatching
 * colors for non-finite values, one of which contrasts with any other color.
 */
const others = { light: '#8d8a84', dark: '#7d7a74' } as const;
const [ink, paper] = ['#1c1b1a', '#ffffff'] as const;

/** In screen pixels. Rows of at least this height have a gap between them. */
const minWithGap = 6;
/** Minimum width of marks for non-finite values. */
const minMark = 5;

/**
 * Draws rows of equal height on a canvas. `places` returns a value's position on the color scale,
 * or NaN if it has none. `ratio` is the number of canvas pixels per page pixel.
 */
export function drawHeat(
  canvas: HTMLCanvasElement,
  rows: readonly HeatPixels[],
  { theme, places, ratio }: { readonly theme: Theme; readonly places: (value: number) => number; readonly ratio: number },
): void {
  const { width, height } = canvas;
  if (width === 0 || height === 0) return;
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colors = Uint32Array.from({ length: shades }, (_, i) => wordOf(rampColor(theme, i / (shades - 1))));
  const [other, dark, bright] = [wordOf(others[theme]), wordOf(ink), wordOf(paper)];
  const stripe = Math.max(1, Math.round(1.25 * ratio));
  const gap = height / rows.length >= minWithGap * ratio ? Math.round(ratio) : 0;
  const line = new Uint32Array(width);
  rows.forEach(({ value, mark }, row) => {
    const top = Math.round((row * height) / rows.length);
    const bottom = Math.max(top + 1, Math.round(((row + 1) * height) / rows.length) - gap);
    for (let x = 0; x < width; x++) {
      const place = mark[x] === heatMarks.nothing || Number.isNaN(value[x]!) ? null : places(value[x]!);
      line[x] = place === null ? 0 : Number.isNaN(place) ? other : colors[Math.round(place * (shades - 1))]!;
    }
    for (let y = top; y < Math.min(bottom, height); y++) pixels.set(line, y * width);
    for (const { from, to } of marksIn(mark, minMark * ratio))
      for (let y = top; y < Math.min(bottom, height); y++)
        for (let x = from; x < to; x++) {
          const at = Math.floor((x + y) / stripe) % 4;
          if (at < 2) pixels[y * width + x] = at === 0 ? dark : bright;
        }
  });
  context.putImageData(image, 0, 0);
}

/** The ranges with non-finite values, each at least `min` pixels wide. */
function marksIn(mark: Uint8Array, min: number): { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let x = 0; x < mark.length; x++) {
    if (mark[x]! < heatMarks.someNotFinite) continue;
    const from = x;
    while (x < mark.length && mark[x]! >= heatMarks.someNotFinite) x++;
    const more = Math.max(0, Math.ceil((min - (x - from)) / 2));
    found.push({ from: Math.max(0, from - more), to: Math.min(mark.length, x + more) });
  }
  return found;
}

/** A color as four bytes in memory: red, green, blue, opaque. */
function wordOf(color: string): number {
  const bytes = Uint8Array.of(...[1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)), 255);
  return new Uint32Array(bytes.buffer)[0]!;
}
