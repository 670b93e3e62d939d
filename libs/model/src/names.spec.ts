import { expect, it } from 'vitest';
import type { RunName, SeriesName, TagName } from './names.ts';
import { seesSeries, seesTag, type View } from './view.ts';

/*
 * Code that the compiler must reject. `npm run check:types` fails if one of the marked lines
 * compiles. The functions are not called.
 */

const rejected = {
  'a run is no tag': (run: RunName): TagName =>
    // @ts-expect-error -- another kind
    run,
  'a tag is no run': (tag: TagName): RunName =>
    // @ts-expect-error -- another kind
    tag,
  'runs are no tags': (runs: readonly RunName[]): readonly TagName[] =>
    // @ts-expect-error -- another kind
    runs,
  'a run and a tag that changed places': (view: View, run: RunName, tag: TagName) =>
    // @ts-expect-error -- swapped
    seesSeries(view, { run: tag, tag: run }),
  'two texts in an order that could be wrong': (view: View, run: string, tag: string) =>
    // @ts-expect-error -- not an object
    seesSeries(view, tag, run),
  'a run where a tag is looked up': (view: View, run: RunName) =>
    // @ts-expect-error -- another kind
    seesTag(view, run),
};
void rejected;

it('text is a name without a cast, and a name is text', () => {
  const text: string = 'train';
  const name: SeriesName = { run: text, tag: 'loss' };
  const back: string = name.run;
  expect(seesSeries({ runs: [back], tags: ['loss'], anonymous: false }, name)).toBe(true);
});
