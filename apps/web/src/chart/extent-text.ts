import { type Extent, formatRange, formatValue } from '#charts';

/** The ends of an axis, to three significant digits or as many as distinguish them. */
export function extentText({ min, max }: Extent): string {
  const [from, to] = [min, max].map((value) => Number(value.toPrecision(3))) as [number, number];
  return (Math.abs(to - from - (max - min)) < (max - min) / 10 ? [formatValue(from), formatValue(to)] : formatRange(min, max)).join(' to ');
}
