/** The smallest and the largest sample in a part of a clip. */
export interface Peak {
  readonly min: number;
  readonly max: number;
}

/**
 * The peaks of a sound over all its channels, in `count` parts of equal length (fewer if there are
 * fewer samples). No sample is omitted, so even a single outlier is visible at any width.
 */
export function peaksOf(channels: readonly Float32Array[], count: number): Peak[] {
  const length = channels[0]?.length ?? 0;
  const parts = Math.min(count, length);
  return Array.from({ length: parts }, (_, part) => {
    let [min, max] = [Infinity, -Infinity];
    const end = Math.floor(((part + 1) * length) / parts);
    for (const samples of channels)
      for (let i = Math.floor((part * length) / parts); i < end; i++) {
        const sample = samples[i]!;
        if (sample < min) min = sample;
        if (sample > max) max = sample;
      }
    return { min, max };
  });
}
