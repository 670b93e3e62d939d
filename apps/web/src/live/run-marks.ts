import type { RunJson } from '../api/types.ts';

/** The progress of an experiment's runs, by run name. */
export type RunMarks = ReadonlyMap<string, Pick<RunJson, 'events' | 'last_time' | 'status'>>;

export function marksOf(runs: readonly RunJson[]): RunMarks {
  return new Map(runs.map(({ run, events, last_time, status }) => [run, { events, last_time, status }]));
}

/**
 * The marks to use after reading `after`. Returns the previous object if nothing grew. Visitors who
 * see only a part of the experiment do not get run sizes, so their marks always change.
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

/** Where a run has grown: only at its end, or possibly before its end. */
export type Growth = 'end' | 'anywhere';

/**
 * The runs that grew between two readings. If clocks stopped or were set back, points may have been
 * added anywhere.
 */
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
