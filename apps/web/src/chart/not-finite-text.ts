import type { NotFinite } from '#charts';

/** The number of non-finite points, as `2 × NaN, 1 × ∞`; empty if there are none. */
export function notFiniteText({ nan, positive, negative }: NotFinite, format: (count: number) => string): string {
  const counts = [
    [nan, 'NaN'],
    [positive, '∞'],
    [negative, '−∞'],
  ] as const;
  return counts.flatMap(([count, name]) => (count > 0 ? [`${format(count)} × ${name}`] : [])).join(', ');
}
