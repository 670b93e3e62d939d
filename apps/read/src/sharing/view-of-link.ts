import { parseView, plainView, textBaseRun, type View as PageView, viewParameters, xTagOf } from '#charts';
import { limits, Problem, type RunName, seesTag, type TagName, type View } from '#model';

/** The runs and tags that a link shows; null means all. */
type Shown = Pick<View, 'runs' | 'tags'>;

/**
 * The view with which a link opens, as a query string; null for the default view. `text` is the
 * query string of a page of the experiment. Visitors of the link can read the view, so other
 * experiments are removed from it. If the link is limited to runs or tags, all other names are
 * removed too, and so are expressions, which could contain such names.
 */
export function viewOfLink(text: string, shown: Shown): string | null {
  const view = parseView(new URLSearchParams(text));
  const isPart = shown.runs !== null || shown.tags !== null;
  const kept = viewParameters(isPart ? partOf(view, shown) : wholeOf(view)).toString();
  if (kept.length > limits.maxSavedViewCharacters)
    throw new Problem('name-too-long', `The view has ${kept.length} characters; the limit is ${limits.maxSavedViewCharacters}.`);
  return kept === '' ? null : kept;
}

/**
 * Whether a run belongs to the experiment itself. Runs of compared experiments have `//` in their
 * names (`<id>//<run>`); a visitor cannot read them. Names of the experiment's own runs are paths,
 * which never contain `//`.
 */
function isOwn(run: RunName): boolean {
  return !run.includes('//');
}

/** Removes compared experiments, which a visitor cannot read. */
function wholeOf(view: PageView): PageView {
  return {
    ...view,
    compare: [],
    embed: false,
    onlyRuns: view.onlyRuns && view.onlyRuns.filter(isOwn),
    hiddenRuns: view.hiddenRuns.filter(isOwn),
    about: view.about !== null && isOwn(view.about) ? view.about : null,
    image: view.image && isOwn(view.image.run) ? view.image : null,
    imageWith: view.imageWith && isOwn(view.imageWith.run) ? view.imageWith : null,
    textBase: isOwn(textBaseRun(view.textBase) ?? '') ? view.textBase : '',
  };
}

/** Fields without names or free text. */
const namelessFields = [
  'tab',
  'smoothing',
  'xScale',
  'yScale',
  'ignoreOutliers',
  'writers',
  'superseded',
  'table',
  'range',
  'step',
  'histograms',
  'imageForm',
  'imageSize',
  'imageComparison',
  'waveforms',
  'spread',
  'archived',
  'stalledAfter',
  'tooltipSort',
  'cardSize',
  'differ',
] as const satisfies readonly (keyof PageView)[];

/** Built from fields that are known to be harmless; all other fields are as in the default view. */
function partOf(view: PageView, { runs, tags }: Shown): PageView {
  const harmless = Object.fromEntries(namelessFields.map((field) => [field, view[field]])) as Pick<
    PageView,
    (typeof namelessFields)[number]
  >;
  const names = runs && new Set(runs);
  const seesRun = (run: RunName): boolean => names === null || names.has(run);
  const sees = (tag: TagName): boolean => seesTag({ runs, tags, anonymous: false }, tag);
  const { onlyRuns, hiddenRuns, about, image, imageWith, textBase } = wholeOf(view);
  const textRun = textBaseRun(textBase);
  const only = onlyRuns && onlyRuns.filter(seesRun);
  const xTag = xTagOf(view.xAxis);
  return {
    ...plainView,
    ...harmless,
    // If everything that the link shows is selected, no selection is needed
    onlyRuns: only !== null && only.length > 0 && only.length !== names?.size ? only : null,
    hiddenRuns: hiddenRuns.filter(seesRun),
    about: about !== null && seesRun(about) ? about : null,
    image: image && sees(image.tag) && seesRun(image.run) ? image : null,
    imageWith: imageWith && seesRun(imageWith.run) ? imageWith : null,
    textBase: textRun === null || seesRun(textRun) ? textBase : '',
    xAxis: xTag === null || sees(xTag) ? view.xAxis : plainView.xAxis,
    pinned: view.pinned.filter(sees),
    cardOrder: view.cardOrder.filter(sees),
    wide: view.wide.filter(sees),
    card: view.card !== null && sees(view.card) ? view.card : null,
    also: view.also.filter(sees),
    yRanges: view.yRanges.filter(({ tag }) => sees(tag)),
  };
}

/** The parameters of an embed, from the view of its link: which charts are drawn, and how. */
export function embedOfView(text: string | null): Readonly<Record<string, string | string[]>> {
  const parameters = new URLSearchParams(text ?? '');
  const { onlyRuns, card, also, pinned } = parseView(parameters);
  const drawing = ['smoothing', 'xScale', 'yScale', 'ignoreOutliers', 'writers', 'xAxis'].flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    // On the x axis, a frame supports neither time of day, because the reader's time zone is
    // unknown, nor tags
    return value === null || (name === 'xAxis' && !['step', 'relative'].includes(value)) ? [] : [[name, value]];
  });
  const tags = card === null ? pinned : [card, ...also];
  return {
    ...Object.fromEntries(drawing),
    ...(onlyRuns && onlyRuns.length > 0 && { run: [...onlyRuns] }),
    ...(tags.length > 0 && { tag: [...tags] }),
  };
}
