import { nameFilter } from '../name-filter.ts';
import { type Fields, names, namesOrNull, readList, text, unique } from './field.ts';

/** Which tags and runs are shown. */
export interface ChoiceView {
  /** Regular expressions, see `nameFilter`. */
  readonly tagFilter: string;
  readonly runFilter: string;
  readonly pinned: readonly string[];
  /** Null means all runs that are not hidden. Can be empty. */
  readonly onlyRuns: readonly string[] | null;
  readonly hiddenRuns: readonly string[];
}

export const choiceFields: Fields<ChoiceView> = {
  tagFilter: text('tagFilter'),
  runFilter: text('runFilter'),
  pinned: {
    plain: [],
    read: (parameters) => readPinned(parameters.get('pinnedCards') ?? ''),
    write: (tags, parameters) => {
      if (tags.length > 0) parameters.append('pinnedCards', JSON.stringify(tags.map((tag) => ({ plugin: 'scalars', tag }))));
    },
  },
  onlyRuns: namesOrNull('run'),
  hiddenRuns: names('hide'),
};

/** TensorBoard's form: `[{"plugin":"scalars","tag":"loss"}]`. */
function readPinned(value: string): string[] {
  const tags = readList(value).map((one) => (typeof one === 'object' && one !== null && 'tag' in one ? one.tag : null));
  return unique(tags.filter((tag) => typeof tag === 'string'));
}

/** The part of the view that determines which runs are shown. */
export type RunChoice = Pick<ChoiceView, 'runFilter' | 'onlyRuns' | 'hiddenRuns'>;

/** Whether a run passes the filter, regardless of its selection. */
export function isListed(view: RunChoice): (run: string) => boolean {
  return nameFilter(view.runFilter).matches;
}

/** Whether a run's lines are drawn. */
export function isShown(view: RunChoice): (run: string) => boolean {
  const listed = isListed(view);
  const hidden = new Set(view.hiddenRuns);
  const only = view.onlyRuns && new Set(view.onlyRuns);
  return (run) => listed(run) && (only ? only.has(run) : !hidden.has(run));
}

/** Shows or hides some runs. */
export function chooseRuns(view: RunChoice, runs: readonly string[], show: boolean): Pick<ChoiceView, 'onlyRuns' | 'hiddenRuns'> {
  const list = view.onlyRuns ?? view.hiddenRuns;
  const isNamed = show === (view.onlyRuns !== null); // whether the list then contains them
  const named = isNamed ? unique([...list, ...runs]) : without(list, runs);
  return view.onlyRuns ? { onlyRuns: named, hiddenRuns: [] } : { onlyRuns: null, hiddenRuns: named };
}

/** Shows only one run; a second call shows all runs. */
export function soloRun(view: RunChoice, run: string): Pick<ChoiceView, 'onlyRuns' | 'hiddenRuns'> {
  const isSolo = view.onlyRuns?.length === 1 && view.onlyRuns[0] === run;
  return { onlyRuns: isSolo ? null : [run], hiddenRuns: [] };
}

/** Returns the list with the name added, or without the name if the list contained it. */
export function toggled(list: readonly string[], name: string): string[] {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

function without(list: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed);
  return list.filter((one) => !gone.has(one));
}
