import { expect, it } from 'vitest';
import { rampColor } from './ramp.ts';

/**
 * What people with a color vision deficiency see, in linear RGB: Machado, Oliveira and Fernandes
 * (2009), complete deficiency.
 */
const visions = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;

type Triple = readonly [number, number, number];

/** CIE L*a*b* of linear RGB, D65. */
function labOf([r, g, b]: Triple): Triple {
  const curve = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function linearOf(color: string): Triple {
  return [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

it.each(['light', 'dark'] as const)('orders values by lightness in every vision, in steps that all can be seen (%s)', (theme) => {
  for (const [name, matrix] of Object.entries(visions)) {
    const colors = Array.from({ length: 51 }, (_, i) => {
      const [r, g, b] = linearOf(rampColor(theme, i / 50));
      const seen = matrix.map((row) => Math.min(1, Math.max(0, row[0] * r + row[1] * g + row[2] * b)));
      return labOf(seen as unknown as Triple);
    });
    const steps = colors.slice(1).map((color, i) => ({
      lightness: (color[0] - colors[i]![0]) * (theme === 'dark' ? 1 : -1),
      difference: Math.hypot(...color.map((part, at) => part - colors[i]![at]!)),
    }));
    expect(Math.min(...steps.map(({ lightness }) => lightness)), name).toBeGreaterThan(0);
    // A fiftieth of the range: never invisible, and never a jump
    expect(Math.min(...steps.map(({ difference }) => difference)), name).toBeGreaterThan(0.5);
    expect(Math.max(...steps.map(({ difference }) => difference)), name).toBeLessThan(5.5);
  }
});
