import type { RunChoice } from '#charts';

/** Characters of names that an address may have before the shorter list is looked for. */
const roomy = 2_000;

/**
 * The same choice of runs, said by those that are hidden or by those that are shown: an address has room for few names. Short ones stay as they are, since
 * runs that come later are shown by the one and not by the other. `runs`: all there are.
 */
export function shorterChoice(
  { onlyRuns, hiddenRuns }: Pick<RunChoice, 'onlyRuns' | 'hiddenRuns'>,
  runs: readonly string[],
): Pick<RunChoice, 'onlyRuns' | 'hiddenRuns'> {
  const named = onlyRuns ?? hiddenRuns;
  if (lengthOf(named) <= roomy) return { onlyRuns, hiddenRuns };
  const others = new Set(named);
  const rest = runs.filter((run) => !others.has(run));
  if (rest.length === 0 || lengthOf(rest) >= lengthOf(named)) return { onlyRuns, hiddenRuns };
  return onlyRuns ? { onlyRuns: null, hiddenRuns: rest } : { onlyRuns: rest, hiddenRuns: [] };
}

/** As they are written: `&hide=` before each. */
function lengthOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + 6 + encodeURIComponent(name.toWellFormed()).length, 0);
}
