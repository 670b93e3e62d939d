import { describe, expect, it } from 'vitest';
import { palettes, styleRuns } from './run-colors.ts';
import { type ColorVision, linearOf, seenColor, type Triple, visionNames } from './testing/color-vision.ts';

const luminance = (hex: string): number => linearOf(hex).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i]!, 0);
const contrast = (a: string, b: string): number => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

/** Ottosson's OKLab, in which distances are approximately uniform. */
function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function closest(colors: readonly string[], vision: ColorVision): number {
  const seen = colors.map((color) => oklab(seenColor(color, vision)));
  let min = Infinity;
  seen.forEach((a, i) => seen.slice(0, i).forEach((b) => (min = Math.min(min, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])))));
  return min;
}

const okabeIto = ['#E69F00', '#56B4E9', '#009E73', '#F0E442', '#0072B2', '#D55E00', '#CC79A7', '#000000'];

describe.each([
  ['light', '#fbfaf8'],
  ['dark', '#121211'],
] as const)('the %s palette', (theme, background) => {
  it.each(visionNames)('has more distinguishable colors than the palette of Okabe and Ito: %s', (vision) => {
    const min = Math.min(...visionNames.map((one) => closest(okabeIto, one)));
    expect(closest(palettes[theme], vision)).toBeGreaterThan(Math.max(min, 0.09));
  });

  it('has enough contrast on its background (WCAG 2.2, 1.4.11)', () => {
    for (const color of palettes[theme]) expect(contrast(color, background), color).toBeGreaterThanOrEqual(2.99);
  });
});

it('a color keeps its hue in the other theme, within 15 degrees', () => {
  const hue = (hex: string): number => {
    const [, a, b] = oklab(linearOf(hex));
    return (Math.atan2(b, a) * 180) / Math.PI;
  };
  palettes.light.forEach((color, i) => {
    const apart = Math.abs(hue(color) - hue(palettes.dark[i]!)) % 360;
    expect(Math.min(apart, 360 - apart), color).toBeLessThan(15);
  });
});

describe('styles of runs', () => {
  const names = Array.from({ length: 45 }, (_, i) => `sweep/run-${i}`);

  it('distinguish ten runs by color and the next twenty by dash', () => {
    const styles = [...styleRuns(names).values()];
    expect(new Set(styles.slice(0, 10).map(({ color }) => color)).size).toBe(10);
    expect(new Set(styles.slice(0, 30).map(({ color, dash }) => `${color} ${dash}`)).size).toBe(30);
    expect(styles.slice(0, 10).every(({ dash }) => dash === 0)).toBe(true);
  });

  it('stay when runs are appended', () => {
    const before = styleRuns(names.slice(0, 17));
    const after = styleRuns(names);
    for (const [run, style] of before) expect(after.get(run)).toEqual(style);
  });
});
