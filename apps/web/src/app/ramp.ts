import type { Theme } from '#charts';

/**
 * Colors from the smallest to the largest value, for each theme. Lightness is monotonic, so the
 * order is visible without hue.
 */
const ramps = {
  light: ['#c08a1e', '#c95f2f', '#b03a5b', '#7a2b80', '#3a2380', '#161a4d'],
  dark: ['#6a4bc4', '#9c4fc0', '#d05a95', '#ef7a63', '#f7a84c', '#fbe36a'],
} as const;

/** The colors of a ramp as gradient stops. */
export function rampColors(theme: Theme): readonly string[] {
  return ramps[theme];
}

/** The color at a position on the ramp, from 0 to 1. */
export function rampColor(theme: Theme, place: number): string {
  const stops = ramps[theme];
  const at = Math.min(1, Math.max(0, place)) * (stops.length - 1);
  const [from, to] = [stops[Math.floor(at)]!, stops[Math.ceil(at)]!];
  const part = at - Math.floor(at);
  const channel = (start: number): string => {
    const [a, b] = [from, to].map((color) => Number.parseInt(color.slice(start, start + 2), 16)) as [number, number];
    return Math.round(a + (b - a) * part)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
