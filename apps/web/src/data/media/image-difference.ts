/** The difference between two images, pixel by pixel. */
export interface ImageDifference {
  /** Opaque RGBA: the difference in each channel, scaled so that the largest difference is 255. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  /** Pixels with any difference. */
  readonly pixels: number;
  /** Over all pixels and the channels red, green and blue; 0 to 255. */
  readonly mean: number;
  /** In any channel; 0 to 255. */
  readonly largest: number;
}

/**
 * Compares the pixels of two RGBA images of the same size. A difference in opacity counts in every
 * channel.
 */
export function differenceOf(a: Uint8ClampedArray, b: Uint8ClampedArray): ImageDifference {
  const rgba = new Uint8ClampedArray(a.length);
  let [pixels, sum, largest] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 4) {
    const opacity = Math.abs(a[at + 3]! - b[at + 3]!);
    let max = 0;
    for (let channel = at; channel < at + 3; channel++) {
      const difference = Math.max(opacity, Math.abs(a[channel]! - b[channel]!));
      rgba[channel] = difference;
      sum += difference;
      if (difference > max) max = difference;
    }
    rgba[at + 3] = 255;
    if (max > 0) pixels++;
    if (max > largest) largest = max;
  }
  if (largest > 0) for (let at = 0; at < rgba.length; at++) if (at % 4 !== 3) rgba[at] = (rgba[at]! * 255) / largest;
  return { rgba, pixels, mean: a.length === 0 ? 0 : sum / ((a.length / 4) * 3), largest };
}
