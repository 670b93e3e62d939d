import { dashes, type RunStyle, styleRuns } from '#charts';
import { lineName } from './use-chart-data.ts';

type Styles = ReadonlyMap<string, RunStyle>;

/** Styles that distinguish the lines of several tags. */
export interface TagLook {
  /**
   * Whether colors distinguish the tags. Otherwise colors distinguish runs, and dashes distinguish
   * tags.
   */
  readonly colored: boolean;
  /** The style of each tag, independent of the run. */
  readonly tags: Styles;
}

/** Tags have colors if there are more tags than dashes, or only one run. */
export function tagLook(tags: readonly string[], runs: number): TagLook {
  const colored = tags.length > dashes.length || (runs === 1 && tags.length > 1);
  return { colored, tags: colored ? styleRuns(tags) : new Map(tags.map((tag, i) => [tag, { color: 0, dash: i % dashes.length }])) };
}

/**
 * The styles of runs, and of their lines for several tags. The lines of the first tag have the
 * names of their runs, unless `named`.
 */
export function withTags(own: Styles, tags: readonly string[], shown: ReadonlySet<string>, named = false): Styles {
  if (tags.length <= 1 && !named) return own;
  const look = tagLook(tags, named ? shown.size : Infinity);
  const lines = tags.flatMap((tag, i) =>
    [...own].map(([run, style], at): [string, RunStyle] => [
      i === 0 && !named ? run : lineName({ run, tag }),
      styleOf(look.tags.get(tag)!, style, look.colored, shown.size === 1 ? 0 : at),
    ]),
  );
  return new Map([...own, ...lines]);
}

function styleOf(ofTag: RunStyle, ofRun: RunStyle, colored: boolean, at: number): RunStyle {
  if (!colored) return ofTag.dash === 0 ? ofRun : { color: ofRun.color, dash: ofTag.dash };
  return { color: ofTag.color, dash: (ofTag.dash + at) % dashes.length };
}
