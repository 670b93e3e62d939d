import type { RunJson } from '../api/types.ts';

/** How far the runs of an experiment have come, by name. */
export type RunMarks = ReadonlyMap<string, Pick<RunJson, 'events' | 'last_time' | 'status'>>;

export function marksOf(runs: readonly RunJson[]): RunMarks {
  return new Map(runs.map(({ run, events, last_time, status }) => [run, { events, last_time, status }]));
}

/**
 * The marks to go on with when `after` was read. They are those of before, the same object, when nothing grew; whoever sees a part is not told how much a run has, so
 * then they are always others.
 */
export function nextMarks(before: RunMarks, after: RunMarks): RunMarks {
  const isSame =
    before.size === after.size &&
    [...after].every(([run, mark]) => {
      const known = before.get(run);
      return mark.events !== null && known?.events === mark.events && known.last_time === mark.last_time && known.status === mark.status;
    });
  return isSame ? before : after;
}

/** Where a run has grown: behind its end, or perhaps before it, too. */
export type Growth = 'end' | 'anywhere';

/** The runs that grew from one reading to a later one. Clocks that stand still or go back say that points may have come anywhere. */
export function grownBetween(before: RunMarks | undefined, after: RunMarks): Map<string, Growth> {
  const grown = new Map<string, Growth>();
  if (before === after) return grown;
  for (const [run, mark] of after) {
    const known = before?.get(run);
    if (!known) grown.set(run, 'anywhere');
    else if (mark.events === null) grown.set(run, 'end');
    else if (known.events !== mark.events) grown.set(run, Number(mark.last_time) > Number(known.last_time) ? 'end' : 'anywhere');
  }
  return grown;
}
