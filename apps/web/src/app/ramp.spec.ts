import { expect, it } from 'vitest';
import { seenColor, type Triple, visionNames } from '#charts/testing';
import { rampColor } from './ramp.ts';

/** CIE L*a*b* of linear RGB, D65. */
function labOf([r, g, b]: Triple): Triple {
  const curve = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

it.each(['light', 'dark'] as const)('orders values by lightness in every vision, in steps that all can be seen (%s)', (theme) => {
  for (const name of visionNames) {
    const colors = Array.from({ length: 51 }, (_, i) => labOf(seenColor(rampColor(theme, i / 50), name)));
    const steps = colors.slice(1).map((color, i) => ({
      lightness: (color[0] - colors[i]![0]) * (theme === 'dark' ? 1 : -1),
      difference: Math.hypot(...color.map((part, at) => part - colors[i]![at]!)),
    }));
    expect(Math.min(...steps.map(({ lightness }) => lightness)), name).toBeGreaterThan(0);
    // Colors a fiftieth of the range apart differ visibly, but without a jump
    expect(Math.min(...steps.map(({ difference }) => difference)), name).toBeGreaterThan(0.5);
    expect(Math.max(...steps.map(({ difference }) => difference)), name).toBeLessThan(5.5);
  }
});
