/** A color as red, green and blue, or in another space. */
export type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/**
 * How people with and without a color vision deficiency see colors, in linear sRGB: Machado,
 * Oliveira and Fernandes (2009), complete deficiency.
 */
const colorVisions = {
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
} as const satisfies Readonly<Record<string, Matrix>>;
export type ColorVision = keyof typeof colorVisions;
export const visionNames = Object.keys(colorVisions) as ColorVision[];

/** A color such as `#E69F00` in linear sRGB, each channel from 0 to 1. */
export function linearOf(color: string): Triple {
  return [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

/** The color that a person with this vision sees, in linear sRGB. */
export function seenColor(color: string, vision: ColorVision): Triple {
  const [r, g, b] = linearOf(color);
  return colorVisions[vision].map((row) => Math.min(1, Math.max(0, row[0] * r + row[1] * g + row[2] * b))) as unknown as Triple;
}
