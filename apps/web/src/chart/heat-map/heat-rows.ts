import { type ChartLine, makeScale, naturally, notFiniteAt, type Scale, type ScaleKind, type View, xExtent } from '#charts';

/** A row of a heat map: a tag of one run, with a line for each of its writers. */
export interface HeatRow {
  readonly tag: string;
  readonly lines: readonly ChartLine[];
}

/** The rows in natural order. Omits tags for which the run has no points. */
export function heatRows(tags: readonly string[], lines: readonly ChartLine[]): HeatRow[] {
  const byTag = Map.groupBy(lines, ({ series }) => series.tag);
  return tags.toSorted(naturally).flatMap((tag) => {
    const own = byTag.get(tag)?.filter((line) => line.x.length > 0) ?? [];
    return own.length > 0 ? [{ tag, lines: own }] : [];
  });
}

/** The x axis of the lines; null if no point has a position on it. `range`: the visible part. */
export function heatAxis(lines: readonly ChartLine[], kind: ScaleKind, range: View['range']): Scale | null {
  const whole = xExtent(lines, kind);
  if (!whole) return null;
  const { min, max } = range ? { min: range.from, max: range.to } : kind === 'linear' ? widened(whole, lines) : whole;
  return makeScale(kind, min, max);
}

/** Widens the axis so that the first and the last column are as wide as the other columns. */
function widened(whole: { readonly min: number; readonly max: number }, lines: readonly ChartLine[]) {
  const longest = lines.reduce<ChartLine | null>((max, line) => (line.x.length > (max?.x.length ?? 1) ? line : max), null);
  if (!longest?.series.raw) return whole;
  const half = (whole.max - whole.min) / (longest.x.length - 1) / 2;
  return { min: whole.min - half, max: whole.max + half };
}

/** Whether the visible part contains values that are not finite, and values that are 0 or below. */
export function specialValues(
  rows: readonly HeatRow[],
  x: Pick<Scale, 'min' | 'max'>,
): { readonly notFinite: boolean; readonly low: boolean } {
  let [notFinite, low] = [false, false];
  for (const { lines } of rows)
    for (const { series, x: places } of lines)
      for (let i = 0; i < places.length; i++) {
        if (!(places[i]! >= x.min && places[i]! <= x.max)) continue;
        const { nan, positive, negative } = notFiniteAt(series, i);
        notFinite ||= nan + positive + negative > 0;
        low ||= series.low[i]! <= 0;
      }
  return { notFinite, low };
}
