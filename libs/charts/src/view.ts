import type { Extent } from './extent.ts';
import { nameFilter } from './name-filter.ts';
import { type Panel, panelAddress, readPanels } from './panel.ts';
import { scaleKinds, type ScaleKind } from './scale.ts';
import { readXAxis, type XAxis, xTagOf } from './x-axis.ts';

/** The kinds of data on a page, shown one at a time. */
export const tabs = [
  'scalars',
  'runs',
  'histograms',
  'images',
  'audio',
  'text',
  'pr_curves',
  'hparams',
  'graphs',
  'system',
  'logs',
  'other',
] as const;
export type Tab = (typeof tabs)[number];

/**
 * Histogram style: one behind the other, overlaid, or as bands of percentiles along the
 * steps.
 */
export const histogramForms = ['offset', 'overlay', 'percentiles'] as const;
export type HistogramForm = (typeof histogramForms)[number];

/** The arrangement of images: the runs at one step, or a grid of runs and steps. */
export const imageForms = ['step', 'grid'] as const;
export type ImageForm = (typeof imageForms)[number];

/**
 * How two images are compared: side by side, alternating, or as the difference of their pixels.
 */
export const imageComparisons = ['side', 'flicker', 'difference'] as const;
export type ImageComparison = (typeof imageComparisons)[number];

/** The width of images, in pixels. */
export const imageSizeRange = { min: 48, max: 512 } as const;

/**
 * The comparison for each text: nothing, the text of its run at the step before, at the first
 * step or at this one, or that of another run at the same step.
 */
export type TextBase = '' | 'previous' | 'first' | `step:${number}` | `run:${string}`;

/** An image in full screen. */
export interface ImageChoice {
  readonly tag: string;
  readonly run: string;
  /** Its position among the images that were logged at once. */
  readonly index: number;
}

/** The image beside it: of the same tag and position. */
export interface ImageWith {
  readonly run: string;
  /** Null: the step of the page. */
  readonly step: number | null;
}

/**
 * The band around the mean of a group of runs: no mean at all, one standard deviation, all
 * values, or the 95 % interval of the mean.
 */
export const spreads = ['', 'std', 'minmax', 'ci'] as const;
export type Spread = (typeof spreads)[number];

/**
 * How a tag is drawn that several writers of one run logged at the same time: one line each, or
 * their mean.
 */
export const writersForms = ['lines', 'mean'] as const;
export type WritersForm = (typeof writersForms)[number];

/** The sizes of the cards of charts. */
export const cardSizes = ['medium', 'small', 'large'] as const;
export type CardSize = (typeof cardSizes)[number];

/**
 * The order of the tooltip's rows, in TensorBoard's terms: nearest line first, by value, or by
 * name.
 */
export const tooltipSorts = ['nearest', 'descending', 'ascending', 'alphabetical'] as const;
export type TooltipSort = (typeof tooltipSorts)[number];

/**
 * How to space the buckets for a view. `log`: equally wide on a logarithmic axis of steps, or of a
 * time that grows with them.
 */
export function spacingOf({ xAxis, xScale }: Pick<View, 'xAxis' | 'xScale'>): 'linear' | 'log' {
  return xScale === 'linear' || xAxis === 'wall' || xTagOf(xAxis) !== null ? 'linear' : 'log';
}

/** The range of the y axis in the chart of a tag. */
export interface YRange extends Extent {
  readonly tag: string;
}

/** The chosen width of a column. */
export interface ColumnWidth {
  readonly key: string;
  readonly pixels: number;
}

/** The chosen scale of an axis of the parallel coordinates. */
export interface AxisScale {
  readonly key: string;
  readonly kind: ScaleKind;
}

/** Which parts of an experiment are shown, and how. The URL contains all of it. */
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
  /** Null: all that are not hidden. May be empty. */
  readonly onlyRuns: readonly string[] | null;
  readonly hiddenRuns: readonly string[];
  /** The tag that is shown alone. */
  readonly card: string | null;
  /** Other tags in the same chart. */
  readonly also: readonly string[];
  /** Whether superseded points are also drawn. */
  readonly superseded: boolean;
  /** Whether a table of the visible part is shown under the chart that is shown alone. */
  readonly table: boolean;
  /** The range of the x axis that all charts show, in its unit; null: all of it. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** Charts whose y range was selected manually; the others show all of it. */
  readonly yRanges: readonly YRange[];
  /** Charts with several tags, above the others. */
  readonly panels: readonly Panel[];
  /** Collapsed groups of tags; `/all`: all of them. */
  readonly folded: readonly string[];
  /** Groups that start collapsed and are expanded; `/all`: all of them. */
  readonly unfolded: readonly string[];
  /** The latest step of the images, audio, texts and curves to show; null: the last one. */
  readonly step: number | null;
  readonly histograms: HistogramForm;
  readonly imageForm: ImageForm;
  readonly imageSize: number;
  readonly image: ImageChoice | null;
  readonly imageWith: ImageWith | null;
  readonly imageComparison: ImageComparison;
  readonly textBase: TextBase;
  /** Whether audio clips have waveforms. */
  readonly waveforms: boolean;
  /** The options of the graph, in their own syntax, see apps/web. */
  readonly graph: string;
  /** Expanded scopes of the graph. */
  readonly open: readonly string[];
  /** The id of the log that is shown; empty: the latest one of the shown runs. */
  readonly log: string;
  /**
   * Runs of one group have one color: `regex:…` (what it captures), `hparam:NAME`; empty: each run
   * has its own.
   */
  readonly colorGroup: string;
  /** Whether a group is drawn as its mean, and what is drawn around it. */
  readonly spread: Spread;
  /**
   * The order of the list of runs: empty (by start), `name`, or `last`, `min` or `max` with a tag
   * after a colon; `-` in front reverses it.
   */
  readonly runSort: string;
  /**
   * Conditions that shown runs meet, in addition to the filter of names; see `readConditions` of
   * apps/web.
   */
  readonly where: readonly string[];
  /** Whether archived runs are also listed and shown. */
  readonly archived: boolean;
  /** How many minutes a running run may be silent before it counts as stalled. */
  readonly stalledAfter: number;
  readonly tooltipSort: TooltipSort;
  readonly cardSize: CardSize;
  /** Tags whose cards were moved: in their sections they come first, in this order. */
  readonly cardOrder: readonly string[];
  /** Cards as wide as the page: tags, or the texts of panels. */
  readonly wide: readonly string[];
  /** Ids of the experiments whose runs are shown together with those of this one. */
  readonly compare: readonly string[];
  /** The run whose page is shown, by its name in the address; null: the experiment. */
  readonly about: string | null;
  /** Charts alone, for a frame in another page. */
  readonly embed: boolean;
  /**
   * The tables of runs and of hyperparameters: the sort column (`-` in front: descending), the
   * columns in their order, and whether only differing ones are shown.
   */
  readonly sort: string;
  /** Null: a default selection. May be empty. */
  readonly columns: readonly string[] | null;
  readonly differ: boolean;
  /** Columns of the table of runs that stay in view. */
  readonly pinnedColumns: readonly string[];
  /** Columns whose values group the rows of the table of runs. */
  readonly groupBy: readonly string[];
  /** Columns of the table of runs whose width was chosen. */
  readonly columnWidths: readonly ColumnWidth[];
  /** The columns of the scatter plot above the table of runs; no plot if either is empty. */
  readonly plotX: string;
  readonly plotY: string;
  /** The column that colors its points; empty: all have the same color. */
  readonly plotColor: string;
  readonly plotXScale: ScaleKind;
  readonly plotYScale: ScaleKind;
  /**
   * The columns of the parallel coordinates above the table of runs, in their order; empty: none.
   */
  readonly plotAxes: readonly string[];
  /** The axes of them whose scale was chosen. */
  readonly plotAxisScales: readonly AxisScale[];
  /** The column that hyperparameters are rated for, above the table of runs; empty: none. */
  readonly importance: string;
}

/** The view of a URL without parameters. Smoothing as in TensorBoard. */
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
  panels: [],
  folded: [],
  unfolded: [],
  step: null,
  histograms: 'offset',
  imageForm: 'step',
  imageSize: 192,
  image: null,
  imageWith: null,
  imageComparison: 'side',
  textBase: '',
  waveforms: false,
  graph: '',
  open: [],
  log: '',
  colorGroup: '',
  spread: '',
  runSort: '',
  where: [],
  archived: false,
  stalledAfter: 10,
  tooltipSort: 'nearest',
  cardSize: 'medium',
  cardOrder: [],
  wide: [],
  compare: [],
  about: null,
  embed: false,
  sort: '',
  columns: null,
  differ: false,
  pinnedColumns: [],
  groupBy: [],
  columnWidths: [],
  plotX: '',
  plotY: '',
  plotColor: '',
  plotXScale: 'linear',
  plotYScale: 'linear',
  plotAxes: [],
  plotAxisScales: [],
  importance: '',
};

export const maxSmoothing = 0.999;

/** Maximum compared experiments: each is requested separately. */
export const maxCompared = 5;

/** Resets the range of both axes in every chart. */
export const unzoomed: Pick<View, 'range' | 'yRanges'> = { range: plainView.range, yRanges: plainView.yRanges };

/** Whether a plot of runs is shown above their table. */
export function hasRunPlot({ plotX, plotY, plotAxes, importance }: Pick<View, 'plotX' | 'plotY' | 'plotAxes' | 'importance'>): boolean {
  return plotAxes.length > 0 || importance !== '' || (plotX !== '' && plotY !== '');
}

/** Whether any chart shows only a part of an axis. */
export function isZoomed({ range, yRanges }: Pick<View, 'range' | 'yRanges'>): boolean {
  return range !== null || yRanges.length > 0;
}

/** The selected y range of the chart of a tag; null if there is none. */
export function yRangeOf({ yRanges }: Pick<View, 'yRanges'>, tag: string): Extent | null {
  return yRanges.find((one) => one.tag === tag) ?? null;
}

/**
 * Parses the parameters of a URL; ignores unknown and invalid ones. Names are TensorBoard's if it
 * has one.
 */
export function parseView(parameters: URLSearchParams): View {
  const text = (name: string): string => parameters.get(name) ?? '';
  const from = number(parameters.get('from'));
  const to = number(parameters.get('to'));
  const smoothing = number(parameters.get('smoothing'));
  return {
    tab: oneOf(tabs, text('tab')),
    smoothing: smoothing === null ? plainView.smoothing : Math.min(maxSmoothing, Math.max(0, smoothing)),
    xAxis: readXAxis(text('xAxis')),
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
    panels: readPanels(parameters.getAll('panel')),
    folded: unique(parameters.getAll('fold')),
    unfolded: unique(parameters.getAll('unfold')),
    step: number(parameters.get('step')),
    histograms: oneOf(histogramForms, text('histograms')),
    imageForm: oneOf(imageForms, text('images')),
    imageSize: readImageSize(text('imageSize')),
    image: readImage(text('image')),
    imageWith: readImageWith(text('imageWith')),
    imageComparison: oneOf(imageComparisons, text('imageComparison')),
    textBase: readTextBase(text('textDiff')),
    waveforms: text('waveforms') === 'true',
    graph: text('graph'),
    open: unique(parameters.getAll('open')),
    log: text('log'),
    colorGroup: text('runColorGroup'),
    spread: oneOf(spreads, text('spread')),
    runSort: text('runSort'),
    where: unique(parameters.getAll('where')),
    archived: text('archived') === 'true',
    stalledAfter: readMinutes(text('stalledAfter')),
    tooltipSort: oneOf(tooltipSorts, text('tooltipSort')),
    cardSize: oneOf(cardSizes, text('cardSize')),
    cardOrder: unique(parameters.getAll('order')),
    wide: unique(parameters.getAll('wide')),
    compare: unique(parameters.getAll('compare')).slice(0, maxCompared),
    about: parameters.get('about'),
    embed: text('embed') === 'true',
    sort: text('sort'),
    columns: parameters.has('column') ? unique(parameters.getAll('column')).filter((column) => column !== '') : null,
    differ: text('differ') === 'true',
    pinnedColumns: unique(parameters.getAll('pin')),
    groupBy: unique(parameters.getAll('group')),
    columnWidths: readColumnWidths(parameters.getAll('columnWidth')),
    plotX: text('plotX'),
    plotY: text('plotY'),
    plotColor: text('plotColor'),
    plotXScale: oneOf(scaleKinds, text('plotXScale')),
    plotYScale: oneOf(scaleKinds, text('plotYScale')),
    plotAxes: unique(parameters.getAll('plotAxis'))
      .filter((key) => key !== '')
      .slice(0, maxPlotAxes),
    plotAxisScales: readAxisScales(parameters.getAll('plotAxisScale')),
    importance: text('importance'),
  };
}

/** The parameters of the view: only those that differ from {@link plainView}. */
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
  for (const panel of view.panels) parameters.append('panel', panelAddress(panel));
  for (const group of view.folded) parameters.append('fold', group);
  for (const group of view.unfolded) parameters.append('unfold', group);
  if (view.step !== null) parameters.append('step', String(view.step));
  add('histograms', view.histograms, plainView.histograms);
  add('images', view.imageForm, plainView.imageForm);
  add('imageSize', String(view.imageSize), String(plainView.imageSize));
  if (view.image) {
    const { tag, run, index } = view.image;
    parameters.append('image', JSON.stringify(index === 0 ? [tag, run] : [tag, run, index]));
  }
  if (view.imageWith) {
    const { run, step } = view.imageWith;
    parameters.append('imageWith', JSON.stringify(step === null ? [run] : [run, step]));
  }
  add('imageComparison', view.imageComparison, plainView.imageComparison);
  add('textDiff', view.textBase, '');
  add('waveforms', String(view.waveforms), 'false');
  add('graph', view.graph, '');
  for (const scope of view.open) parameters.append('open', scope);
  add('log', view.log, '');
  add('runColorGroup', view.colorGroup, '');
  add('spread', view.spread, '');
  add('runSort', view.runSort, '');
  for (const condition of view.where) parameters.append('where', condition);
  add('archived', String(view.archived), 'false');
  add('stalledAfter', String(view.stalledAfter), String(plainView.stalledAfter));
  add('tooltipSort', view.tooltipSort, plainView.tooltipSort);
  add('cardSize', view.cardSize, plainView.cardSize);
  for (const tag of view.cardOrder) parameters.append('order', tag);
  for (const card of view.wide) parameters.append('wide', card);
  for (const id of view.compare) parameters.append('compare', id);
  if (view.about !== null) parameters.append('about', view.about);
  add('embed', String(view.embed), 'false');
  add('sort', view.sort, '');
  for (const column of view.columns?.length === 0 ? [''] : (view.columns ?? [])) parameters.append('column', column);
  add('differ', String(view.differ), 'false');
  for (const column of view.pinnedColumns) parameters.append('pin', column);
  for (const column of view.groupBy) parameters.append('group', column);
  for (const { key, pixels } of view.columnWidths) parameters.append('columnWidth', `${pixels}:${key}`);
  add('plotX', view.plotX, '');
  add('plotY', view.plotY, '');
  add('plotColor', view.plotColor, '');
  add('plotXScale', view.plotXScale, plainView.plotXScale);
  add('plotYScale', view.plotYScale, plainView.plotYScale);
  for (const column of view.plotAxes) parameters.append('plotAxis', column);
  for (const { key, kind } of view.plotAxisScales) parameters.append('plotAxisScale', `${kind}:${key}`);
  add('importance', view.importance, '');
  return parameters;
}

/** Maximum axes of parallel coordinates: with more, lines cannot be distinguished. */
export const maxPlotAxes = 12;

/** Parses scales in a URL: `log:KEY`; of several for an axis, the first. */
function readAxisScales(texts: readonly string[]): AxisScale[] {
  const scales = new Map<string, AxisScale>();
  for (const text of texts) {
    const colon = text.indexOf(':');
    const [kind, key] = [scaleKinds.find((one) => one === text.slice(0, colon)), text.slice(colon + 1)];
    if (kind !== undefined && key !== '' && !scales.has(key)) scales.set(key, { key, kind });
  }
  return [...scales.values()];
}

/** The smallest and the largest width of a column, in pixels. */
export const columnWidthRange = { min: 48, max: 800 } as const;

/** Parses widths in a URL: `120:KEY`; of several for a column, the first. */
function readColumnWidths(texts: readonly string[]): ColumnWidth[] {
  const widths = new Map<string, ColumnWidth>();
  for (const text of texts) {
    const [, digits, key] = /^(\d{1,4}):(.+)$/s.exec(text) ?? [];
    if (key === undefined || widths.has(key)) continue;
    widths.set(key, { key, pixels: Math.min(columnWidthRange.max, Math.max(columnWidthRange.min, Number(digits))) });
  }
  return [...widths.values()];
}

/** The part of the view that determines which runs are shown. */
export type RunChoice = Pick<View, 'runFilter' | 'onlyRuns' | 'hiddenRuns'>;

/** Whether a run passes the filter, whether or not it is selected. */
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
  const isNamed = show === (view.onlyRuns !== null); // whether the list then contains them
  const named = isNamed ? unique([...list, ...runs]) : without(list, runs);
  return view.onlyRuns ? { onlyRuns: named, hiddenRuns: [] } : { onlyRuns: null, hiddenRuns: named };
}

/** Shows one run alone; the second time shows all. */
export function soloRun(view: RunChoice, run: string): Pick<View, 'onlyRuns' | 'hiddenRuns'> {
  const isSolo = view.onlyRuns?.length === 1 && view.onlyRuns[0] === run;
  return { onlyRuns: isSolo ? null : [run], hiddenRuns: [] };
}

/** The list with the name added, or removed if it was there. */
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

/** Whole minutes from 1; anything else is the default. */
function readMinutes(text: string): number {
  return /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : plainView.stalledAfter;
}

function oneOf<T extends string>(values: readonly T[], text: string): T {
  return values.find((value) => value === text) ?? values[0]!;
}

/**
 * Parses y ranges in a URL: `0.1..0.5:TAG`, where the tag may contain anything; if there are
 * several for one tag, the first.
 */
export function readYRanges(texts: readonly string[]): readonly YRange[] {
  const ranges = new Map<string, YRange>();
  for (const text of texts) {
    const [, low = '', high = '', tag = ''] = /^([^:]*?)\.\.([^:]*):(.*)$/s.exec(text) ?? [];
    const [min, max] = [number(low), number(high)];
    if (min !== null && max !== null && min < max && !ranges.has(tag)) ranges.set(tag, { tag, min, max });
  }
  return ranges.size === 0 ? plainView.yRanges : [...ranges.values()];
}

/** Whole pixels in the range; anything else is the default. */
function readImageSize(text: string): number {
  return /^[0-9]{1,4}$/.test(text) ? Math.min(imageSizeRange.max, Math.max(imageSizeRange.min, Number(text))) : plainView.imageSize;
}

/** `["TAG","RUN"]`, or `["TAG","RUN",3]`. */
function readImage(text: string): ImageChoice | null {
  const [tag, run, index = 0] = readList(text);
  const isIndex = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0;
  return typeof tag === 'string' && typeof run === 'string' && isIndex ? { tag, run, index } : null;
}

/** `["RUN"]`, or `["RUN",100]`. */
function readImageWith(text: string): ImageWith | null {
  const [run, step = null] = readList(text);
  const isStep = step === null || (typeof step === 'number' && Number.isFinite(step));
  return typeof run === 'string' && isStep ? { run, step } : null;
}

/** Anything else is none. */
export function readTextBase(text: string): TextBase {
  if (text === 'previous' || text === 'first') return text;
  if (text.startsWith('run:')) return `run:${text.slice(4)}`;
  const step = text.startsWith('step:') ? number(text.slice(5)) : null;
  return step === null ? '' : `step:${step}`;
}

/** The run that texts are compared with; null: none. */
export function textBaseRun(base: TextBase): string | null {
  return base.startsWith('run:') ? base.slice(4) : null;
}

/** A JSON list; anything else is an empty one. */
function readList(text: string): readonly unknown[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** TensorBoard's form: `[{"plugin":"scalars","tag":"loss"}]`. */
function readPinned(text: string): string[] {
  const tags = readList(text).map((one) => (typeof one === 'object' && one !== null && 'tag' in one ? one.tag : null));
  return unique(tags.filter((tag) => typeof tag === 'string'));
}
