import { dashes, type RunStyle } from '#charts';
import { lineName } from './use-chart-data.ts';

/** Lines of other tags have the colors of their runs, and separate dashes. */
export function withTags(own: ReadonlyMap<string, RunStyle>, tags: readonly string[]): ReadonlyMap<string, RunStyle> {
  if (tags.length === 0) return own;
  const more = tags.flatMap((tag, i) =>
    [...own].map(([run, { color }]): [string, RunStyle] => [lineName({ run, tag }), { color, dash: (i + 1) % dashes.length }]),
  );
  return new Map([...own, ...more]);
}
