import { visibleText } from '#charts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { tabOf } from '../data/tabs.ts';

/** An experiment whose runs appear next to those of the page's own experiment. */
export interface Compared {
  readonly id: string;
  /**
   * The prefix of the experiment's run names. Run names are paths, which never contain two
   * consecutive slashes, so no run name contains the prefix.
   */
  readonly prefix: string;
}

/** The parts of a compared experiment that the page needs. */
export interface ComparedParts {
  readonly experiment: ExperimentJson;
  readonly runs: readonly RunJson[];
  readonly tags: readonly TagJson[];
}

const separator = '//';

/**
 * Compared experiments with the prefixes of their runs: their names, made unique where necessary.
 */
export function comparedOf(
  experiments: readonly Pick<ExperimentJson, 'id' | 'name'>[],
  title: (one: Pick<ExperimentJson, 'id' | 'name'>) => string,
) {
  const names = experiments.map(title);
  return experiments.map(({ id }, i): Compared => {
    const name = names[i]!;
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    return { id, prefix: `${isAlone ? name : `${name} ${id.slice(0, 4)}`}${separator}` };
  });
}

/** The runs of all experiments. The runs of compared experiments get a prefix. */
export function withComparedRuns(
  own: readonly RunJson[],
  compared: readonly Compared[],
  parts: readonly ComparedParts[],
): readonly RunJson[] {
  if (compared.length === 0) return own;
  return [...own, ...compared.flatMap(({ prefix }, i) => parts[i]!.runs.map((one) => ({ ...one, run: prefix + one.run })))];
}

/** The tags of the page's own experiment, plus the tags of compared experiments that have a tab. */
export function withComparedTags(own: readonly TagJson[], parts: readonly ComparedParts[]): readonly TagJson[] {
  const known = new Set(own.map(tagKey));
  const more = parts.flatMap(({ tags }) =>
    tags.filter((one) => tabOf(one) !== 'other' && !known.has(tagKey(one)) && known.add(tagKey(one))),
  );
  return more.length === 0 ? own : [...own, ...more];
}

/** The identity of a tag. For scalars, it does not depend on the plugin that logged them. */
function tagKey({ tag, plugin, data_class: dataClass }: TagJson): string {
  return dataClass === 'scalar' ? `scalar ${tag}` : `${plugin} ${tag}`;
}

/** Whether a run belongs to another experiment. */
function isOfAnother(run: string): boolean {
  return run.includes(separator);
}

/**
 * The runs in this list that belong to an experiment, by the names they have in that experiment.
 * `prefix`: empty for the page's own experiment.
 */
export function namesIn(prefix: string, runs: readonly string[]): string[] {
  if (prefix === '') return runs.filter((run) => !isOfAnother(run));
  return runs
    .filter((run) => run.lastIndexOf(separator) === prefix.length - separator.length && run.startsWith(prefix))
    .map((run) => run.slice(prefix.length));
}

/** The experiment of a run, and the run's name in that experiment. `own`: the page's experiment. */
export function homeOf(run: string, compared: readonly Compared[], own: string): { readonly id: string; readonly run: string } {
  const other = compared.find(({ prefix }) => namesIn(prefix, [run]).length > 0);
  return other ? { id: other.id, run: run.slice(other.prefix.length) } : { id: own, run };
}

/**
 * Run names as they appear in URLs: with the id of their experiment, which stays the same when the
 * experiment is renamed.
 */
export function inAddress(runs: readonly string[], compared: readonly Compared[]): string[] {
  return runs.map((run) => {
    const { id, run: name } = homeOf(run, compared, '');
    return id === '' ? run : `${id}${separator}${name}`;
  });
}

/** The inverse of {@link inAddress}. Names of unknown experiments are returned unchanged. */
export function fromAddress(names: readonly string[], compared: readonly Compared[]): string[] {
  return names.map((name) => {
    const other = compared.find(({ id }) => name.startsWith(id + separator));
    return other ? other.prefix + name.slice(other.id.length + separator.length) : name;
  });
}

/** A run's name, for display. */
export function runText(run: string): string {
  const at = run.lastIndexOf(separator);
  return visibleText(at < 0 ? run : `${run.slice(0, at)}: ${run.slice(at + separator.length)}`);
}
