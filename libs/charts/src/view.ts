import type { Extent } from './extent.ts';
import { nameFilter } from './name-filter.ts';
import { scaleKinds, type ScaleKind } from './scale.ts';
import { xAxes, type XAxis } from './x-axis.ts';

/** The kinds of data that a page shows, one at a time. */
export const tabs = ['scalars', 'histograms', 'images', 'audio', 'text', 'pr_curves', 'hparams', 'graphs', 'other'] as const;
export type Tab = (typeof tabs)[number];

/** How histograms are drawn: one behind the other, over one another, or as bands of percentiles along the steps. */
export const histogramForms = ['offset', 'overlay', 'percentiles'] as const;
export type HistogramForm = (typeof histogramForms)[number];

/** What stands around the mean of a group of runs: nothing is drawn together, one standard deviation, all values, or the 95 % interval of the mean. */
export const spreads = ['', 'std', 'minmax', 'ci'] as const;
export type Spread = (typeof spreads)[number];

/** How several writers of one run are drawn that logged a tag at the same time: a line for each, or their mean. */
export const writersForms = ['lines', 'mean'] as const;
export type WritersForm = (typeof writersForms)[number];

/** The order of the rows beside the pointer, in TensorBoard's words: the nearest line first, by value, or by name. */
export const tooltipSorts = ['nearest', 'descending', 'ascending', 'alphabetical'] as const;
export type TooltipSort = (typeof tooltipSorts)[number];

/** How buckets are to be divided for a view: on a logarithmic axis of steps, or of times that pass with them, equally wide there. */
export function spacingOf({ xAxis, xScale }: Pick<View, 'xAxis' | 'xScale'>): 'linear' | 'log' {
  return xScale === 'linear' || xAxis === 'wall' ? 'linear' : 'log';
}

/** The part of the y axis that the chart of a tag shows. */
export interface YRange extends Extent {
  readonly tag: string;
}

/** What of an experiment is shown, and how. All of it is in the address, so that the address is the view. */
export interface View {
  readonly tab: Tab;
  /** Weight of the past in the moving average, 0 to 0.999. */
  readonly smoothing: number;
  readonly xAxis: XAxis;
  readonly xScale: ScaleKind;
  readonly yScale: ScaleKind;
  readonly ignoreOutliers: boolean;
  readonly writers: WritersForm;
  /** Regular expressions, see `nameFilter`. */
  readonly tagFilter: string;
  readonly runFilter: string;
  readonly pinned: readonly string[];
  /** Null: all that are not hidden. May be none. */
  readonly onlyRuns: readonly string[] | null;
  readonly hiddenRuns: readonly string[];
  /** The tag that is shown alone. */
  readonly card: string | null;
  /** Tags in the same chart with it. */
  readonly also: readonly string[];
  /** Whether points that a restart replaced are drawn, too. */
  readonly superseded: boolean;
  /** Whether a table of what is seen stands under the chart that is shown alone. */
  readonly table: boolean;
  /** The part of the x axis that all charts show, in its unit; null: all of it. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** Charts whose y axis was chosen by hand; the others show all of it. */
  readonly yRanges: readonly YRange[];
  /** Groups of tags that are folded. */
  readonly folded: readonly string[];
  /** Up to which step pictures, sounds, texts and curves are looked at; null: the latest. */
  readonly step: number | null;
  readonly histograms: HistogramForm;
  /** What the graph looks like; its own words, see apps/web. */
  readonly graph: string;
  /** Scopes of the graph that are open. */
  readonly open: readonly string[];
  /** Runs of one group have one colour: `regex:…` (what it captures), `hparam:NAME`; empty: each run its own. */
  readonly colorGroup: string;
  /** Whether a group is drawn as its mean, and with what around it. */
  readonly spread: Spread;
  /** The order of the list of runs: empty (as they began), `name`, or `last`, `min` or `max` and a tag behind a colon; `-` before it: the other way round. */
  readonly runSort: string;
  /** What runs have to meet to be shown, besides the filter of names; see `readConditions` of apps/web. */
  readonly where: readonly string[];
  /** Whether runs that are archived are listed and shown, too. */
  readonly archived: boolean;
  readonly tooltipSort: TooltipSort;
  /** Ids of the experiments whose runs are shown beside those of this one. */
  readonly compare: readonly string[];
  /** Charts alone, for a frame in another page. */
  readonly embed: boolean;
  /** The table of hyper-parameters: the column it is sorted by (`-` before it: downwards), columns, and whether only those that differ are shown. */
  readonly sort: string;
  /** Null: some of them. May be none. */
  readonly columns: readonly string[] | null;
  readonly differ: boolean;
}

/** What an address without parameters shows. Smoothing as in TensorBoard. */
export const plainView: View = {
  tab: 'scalars',
  smoothing: 0.6,
  xAxis: 'step',
  xScale: 'linear',
  yScale: 'linear',
  ignoreOutliers: false,
  writers: 'lines',
  tagFilter: '',
  runFilter: '',
  pinned: [],
  onlyRuns: null,
  hiddenRuns: [],
  card: null,
  also: [],
  superseded: false,
  table: false,
  range: null,
  yRanges: [],
  folded: [],
  step: null,
  histograms: 'offset',
  graph: '',
  open: [],
  colorGroup: '',
  spread: '',
  runSort: '',
  where: [],
  archived: false,
  tooltipSort: 'nearest',
  compare: [],
  embed: false,
  sort: '',
  columns: null,
  differ: false,
};

export const maxSmoothing = 0.999;

/** Experiments beside one another: each is asked for apart. */
export const mostCompared = 5;

/** What shows all of both axes again, in every chart. */
export const unzoomed: Pick<View, 'range' | 'yRanges'> = { range: plainView.range, yRanges: plainView.yRanges };

/** Whether any chart shows a part of an axis. */
export function isZoomed({ range, yRanges }: Pick<View, 'range' | 'yRanges'>): boolean {
  return range !== null || yRanges.length > 0;
}

/** The part of the y axis that was chosen for the chart of a tag; null: none was. */
export function yRangeOf({ yRanges }: Pick<View, 'yRanges'>, tag: string): Extent | null {
  return yRanges.find((one) => one.tag === tag) ?? null;
}

/** Reads the parameters of an address; what is none of ours, or means nothing, is as if it were not there. Names are TensorBoard's where it has one. */
export function parseView(parameters: URLSearchParams): View {
  const text = (name: string): string => parameters.get(name) ?? '';
  const from = number(parameters.get('from'));
  const to = number(parameters.get('to'));
  const smoothing = number(parameters.get('smoothing'));
  return {
    tab: oneOf(tabs, text('tab')),
    smoothing: smoothing === null ? plainView.smoothing : Math.min(maxSmoothing, Math.max(0, smoothing)),
    xAxis: oneOf(xAxes, text('xAxis')),
    xScale: oneOf(scaleKinds, text('xScale')),
    yScale: oneOf(scaleKinds, text('yScale')),
    ignoreOutliers: text('ignoreOutliers') === 'true',
    writers: oneOf(writersForms, text('writers')),
    tagFilter: text('tagFilter'),
    runFilter: text('runFilter'),
    pinned: readPinned(text('pinnedCards')),
    onlyRuns: parameters.has('run') ? unique(parameters.getAll('run')).filter((run) => run !== '') : null,
    hiddenRuns: unique(parameters.getAll('hide')),
    card: parameters.get('card'),
    also: unique(parameters.getAll('with')),
    superseded: text('superseded') === 'true',
    table: text('table') === 'true',
    range: from !== null && to !== null && from < to ? { from, to } : null,
    yRanges: readYRanges(parameters.getAll('y')),
    folded: unique(parameters.getAll('fold')),
    step: number(parameters.get('step')),
    histograms: oneOf(histogramForms, text('histograms')),
    graph: text('graph'),
    open: unique(parameters.getAll('open')),
    colorGroup: text('runColorGroup'),
    spread: oneOf(spreads, text('spread')),
    runSort: text('runSort'),
    where: unique(parameters.getAll('where')),
    archived: text('archived') === 'true',
    tooltipSort: oneOf(tooltipSorts, text('tooltipSort')),
    compare: unique(parameters.getAll('compare')).slice(0, mostCompared),
    embed: text('embed') === 'true',
    sort: text('sort'),
    columns: parameters.has('column') ? unique(parameters.getAll('column')).filter((column) => column !== '') : null,
    differ: text('differ') === 'true',
  };
}

/** The parameters that say the view: only what is not as in {@link plainView}. */
export function viewParameters(view: View): URLSearchParams {
  const parameters = new URLSearchParams();
  const add = (name: string, value: string, plain: string): void => {
    if (value !== plain) parameters.append(name, value);
  };
  add('tab', view.tab, plainView.tab);
  add('smoothing', String(view.smoothing), String(plainView.smoothing));
  add('xAxis', view.xAxis, plainView.xAxis);
  add('xScale', view.xScale, plainView.xScale);
  add('yScale', view.yScale, plainView.yScale);
  add('ignoreOutliers', String(view.ignoreOutliers), 'false');
  add('writers', view.writers, plainView.writers);
  add('tagFilter', view.tagFilter, '');
  add('runFilter', view.runFilter, '');
  if (view.pinned.length > 0) parameters.append('pinnedCards', JSON.stringify(view.pinned.map((tag) => ({ plugin: 'scalars', tag }))));
  for (const run of view.onlyRuns?.length === 0 ? [''] : (view.onlyRuns ?? [])) parameters.append('run', run);
  for (const run of view.hiddenRuns) parameters.append('hide', run);
  if (view.card !== null) parameters.append('card', view.card);
  for (const tag of view.also) parameters.append('with', tag);
  add('superseded', String(view.superseded), 'false');
  add('table', String(view.table), 'false');
  if (view.range) {
    parameters.append('from', String(view.range.from));
    parameters.append('to', String(view.range.to));
  }
  for (const { tag, min, max } of view.yRanges) parameters.append('y', `${min}..${max}:${tag}`);
  for (const group of view.folded) parameters.append('fold', group);
  if (view.step !== null) parameters.append('step', String(view.step));
  add('histograms', view.histograms, plainView.histograms);
  add('graph', view.graph, '');
  for (const scope of view.open) parameters.append('open', scope);
  add('runColorGroup', view.colorGroup, '');
  add('spread', view.spread, '');
  add('runSort', view.runSort, '');
  for (const condition of view.where) parameters.append('where', condition);
  add('archived', String(view.archived), 'false');
  add('tooltipSort', view.tooltipSort, plainView.tooltipSort);
  for (const id of view.compare) parameters.append('compare', id);
  add('embed', String(view.embed), 'false');
  add('sort', view.sort, '');
  for (const column of view.columns?.length === 0 ? [''] : (view.columns ?? [])) parameters.append('column', column);
  add('differ', String(view.differ), 'false');
  return parameters;
}

/** The part of the view that says which runs are shown. */
export type RunChoice = Pick<View, 'runFilter' | 'onlyRuns' | 'hiddenRuns'>;

/** Whether a run passes the filter, whatever was ticked. */
export function isListed(view: RunChoice): (run: string) => boolean {
  return nameFilter(view.runFilter).matches;
}

/** Whether the lines of a run are drawn. */
export function isShown(view: RunChoice): (run: string) => boolean {
  const listed = isListed(view);
  const hidden = new Set(view.hiddenRuns);
  const only = view.onlyRuns && new Set(view.onlyRuns);
  return (run) => listed(run) && (only ? only.has(run) : !hidden.has(run));
}

/** Shows or hides some runs. */
export function chooseRuns(view: RunChoice, runs: readonly string[], show: boolean): Pick<View, 'onlyRuns' | 'hiddenRuns'> {
  const list = view.onlyRuns ?? view.hiddenRuns;
  const isNamed = show === (view.onlyRuns !== null); // whether the list then has them
  const named = isNamed ? unique([...list, ...runs]) : without(list, runs);
  return view.onlyRuns ? { onlyRuns: named, hiddenRuns: [] } : { onlyRuns: null, hiddenRuns: named };
}

/** Shows one run alone; the same again shows all. */
export function soloRun(view: RunChoice, run: string): Pick<View, 'onlyRuns' | 'hiddenRuns'> {
  const isSolo = view.onlyRuns?.length === 1 && view.onlyRuns[0] === run;
  return { onlyRuns: isSolo ? null : [run], hiddenRuns: [] };
}

/** A list with the name in it, or without it where it was. */
export function toggled(list: readonly string[], name: string): string[] {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

function without(list: readonly string[], names: readonly string[]): string[] {
  const gone = new Set(names);
  return list.filter((one) => !gone.has(one));
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}

function number(text: string | null): number | null {
  const value = Number(text);
  return text === null || text.trim() === '' || !Number.isFinite(value) ? null : value;
}

function oneOf<T extends string>(values: readonly T[], text: string): T {
  return values.find((value) => value === text) ?? values[0]!;
}

/** Parts of y axes as an address says them: `0.1..0.5:TAG`, whatever the tag has in it; of several for one tag the first. */
export function readYRanges(texts: readonly string[]): readonly YRange[] {
  const ranges = new Map<string, YRange>();
  for (const text of texts) {
    const [, low = '', high = '', tag = ''] = /^([^:]*?)\.\.([^:]*):(.*)$/s.exec(text) ?? [];
    const [min, max] = [number(low), number(high)];
    if (min !== null && max !== null && min < max && !ranges.has(tag)) ranges.set(tag, { tag, min, max });
  }
  return ranges.size === 0 ? plainView.yRanges : [...ranges.values()];
}

/** TensorBoard's form: `[{"plugin":"scalars","tag":"loss"}]`. */
function readPinned(text: string): string[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    const tags = list.map((one: unknown) => (typeof one === 'object' && one !== null && 'tag' in one ? one.tag : null));
    return unique(tags.filter((tag) => typeof tag === 'string'));
  } catch {
    return [];
  }
}
