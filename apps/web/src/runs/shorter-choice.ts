import type { RunChoice } from '#charts';

/** Total characters of names in a URL above which the shorter list is chosen. */
const roomy = 2_000;

/**
 * The same selection of runs, either as hidden runs or as shown runs, because the length of a URL
 * is limited. Short lists stay unchanged, because the two forms treat later runs differently.
 * `runs`: all existing runs.
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

/** Length of the names in a URL, each preceded by `&hide=`. */
function lengthOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + 6 + encodeURIComponent(name.toWellFormed()).length, 0);
}
