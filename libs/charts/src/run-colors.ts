/**
 * Run colors, by theme: equal positions have the same hue. Found by a search around Okabe and Ito's
 * palette; the test checks its properties.
 */
export const palettes = {
  light: ['#437baa', '#e96e07', '#04a488', '#6c4ac6', '#954462', '#014590', '#5b4400', '#c54707', '#80005c', '#ab77f2'],
  dark: ['#2063b2', '#ec8603', '#1cf4ad', '#ccc5ff', '#ac3657', '#7fa1fb', '#febc33', '#e0380a', '#b37992', '#8e64fd'],
} as const;

export type Theme = keyof typeof palettes;

const colors = palettes.light.length;

/** Dashes in CSS pixels, used if there are more runs than colors; the first is a solid line. */
export const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];

/** The style of a run's lines. */
export interface RunStyle {
  /** Index in the palettes. */
  readonly color: number;
  /** Index in `dashes`. */
  readonly dash: number;
}

/**
 * Assigns a style to each run, in the given order (by start). Each run gets the color that its name
 * hashes to, or the next free color of ten. A run therefore keeps its color when others are added,
 * and the first ten runs look different. From the eleventh on, dashes distinguish runs as far as
 * possible.
 */
export function styleRuns(runs: readonly string[]): Map<string, RunStyle> {
  const styles = new Map<string, RunStyle>();
  let taken = new Set<number>();
  runs.forEach((run, index) => {
    if (index % colors === 0) taken = new Set();
    let color = hash(run) % colors;
    while (taken.has(color)) color = (color + 1) % colors;
    taken.add(color);
    const round = Math.floor(index / colors);
    styles.set(run, { color, dash: round < dashes.length ? round : 0 });
  });
  return styles;
}

/** FNV-1a over UTF-16 units: small, and the same everywhere. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
