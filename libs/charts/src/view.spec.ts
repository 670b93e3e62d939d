import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { panelText } from './panel.ts';
import { scaleKinds } from './scale.ts';
import { parseView, plainView, type View, viewParameters } from './view.ts';
import { cardSizes, tooltipSorts } from './view/cards.ts';
import { isZoomed, unzoomed, yRangeOf } from './view/charts.ts';
import { writersForms } from './view/lines.ts';
import { histogramForms, imageComparisons, imageForms, type TextBase } from './view/media.ts';
import { maxCompared } from './view/page.ts';
import { spreads } from './view/run-list.ts';
import { tabs } from './view/tab.ts';
import { xAxes } from './x-axis.ts';

const parse = (text: string): View => parseView(new URLSearchParams(text));
const names = fc.uniqueArray(fc.string(), { maxLength: 4 });
const views: fc.Arbitrary<View> = fc.record({
  tab: fc.constantFrom(...tabs),
  smoothing: fc.double({ min: 0, max: 0.999, noNaN: true }).map((value) => value + 0),
  xAxis: fc.oneof(
    fc.constantFrom(...xAxes),
    fc.string({ minLength: 1 }).map((tag): `tag:${string}` => `tag:${tag}`),
  ),
  xScale: fc.constantFrom(...scaleKinds),
  yScale: fc.constantFrom(...scaleKinds),
  ignoreOutliers: fc.boolean(),
  writers: fc.constantFrom(...writersForms),
  tagFilter: fc.string(),
  runFilter: fc.string(),
  pinned: names,
  onlyRuns: fc.option(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 4 })),
  hiddenRuns: names,
  card: fc.option(fc.string()),
  also: names,
  superseded: fc.boolean(),
  table: fc.boolean(),
  range: fc.option(fc.tuple(fc.integer(), fc.integer({ min: 1 })).map(([from, width]) => ({ from: from + 0, to: from + width }))),
  yRanges: fc.uniqueArray(
    fc
      .tuple(fc.string(), fc.double({ min: -1e300, max: 1e300, noNaN: true }), fc.double({ min: -1e300, max: 1e300, noNaN: true }))
      .filter(([, a, b]) => a !== b)
      .map(([tag, a, b]) => ({ tag, min: Math.min(a, b) + 0, max: Math.max(a, b) + 0 })),
    { maxLength: 3, selector: ({ tag }) => tag },
  ),
  panels: fc.uniqueArray(
    fc.oneof(
      fc.record({ tags: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }) }),
      fc.record({ match: fc.string({ minLength: 1 }) }),
      fc.record({ formula: fc.string({ minLength: 1 }).filter((text) => text.trim() !== '') }),
    ),
    { maxLength: 3, selector: panelText },
  ),
  folded: names,
  unfolded: names,
  step: fc.option(fc.integer().map((step) => step + 0)),
  histograms: fc.constantFrom(...histogramForms),
  imageForm: fc.constantFrom(...imageForms),
  imageSize: fc.integer({ min: 48, max: 512 }),
  image: fc.option(fc.record({ tag: fc.string(), run: fc.string(), index: fc.nat() })),
  imageWith: fc.option(fc.record({ run: fc.string(), step: fc.option(fc.integer().map((step) => step + 0)) })),
  imageComparison: fc.constantFrom(...imageComparisons),
  waveforms: fc.boolean(),
  textBase: fc.oneof(
    fc.constantFrom('' as const, 'previous' as const, 'first' as const),
    fc.integer().map((step): TextBase => `step:${step}`),
    fc.string().map((run): TextBase => `run:${run}`),
  ),
  graph: fc.string(),
  open: names,
  log: fc.string(),
  colorGroup: fc.string(),
  spread: fc.constantFrom(...spreads),
  runSort: fc.string(),
  sort: fc.string(),
  where: names,
  archived: fc.boolean(),
  stalledAfter: fc.integer({ min: 1, max: 999_999 }),
  tooltipSort: fc.constantFrom(...tooltipSorts),
  cardSize: fc.constantFrom(...cardSizes),
  cardOrder: names,
  wide: names,
  compare: fc.uniqueArray(fc.string(), { maxLength: maxCompared }),
  about: fc.option(fc.string()),
  embed: fc.boolean(),
  columns: fc.option(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 4 })),
  differ: fc.boolean(),
  pinnedColumns: names,
  groupBy: names,
  columnWidths: fc.uniqueArray(fc.record({ key: fc.string({ minLength: 1 }), pixels: fc.integer({ min: 48, max: 800 }) }), {
    maxLength: 3,
    selector: ({ key }) => key,
  }),
  plotX: fc.string(),
  plotY: fc.string(),
  plotColor: fc.string(),
  plotXScale: fc.constantFrom(...scaleKinds),
  plotYScale: fc.constantFrom(...scaleKinds),
  plotAxes: fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 4 }),
  importance: fc.string(),
  plotAxisScales: fc.uniqueArray(fc.record({ key: fc.string({ minLength: 1 }), kind: fc.constantFrom(...scaleKinds) }), {
    maxLength: 3,
    selector: ({ key }) => key,
  }),
});

describe('the address', () => {
  it('encodes the whole view', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(parse(viewParameters(view).toString())).toEqual(view);
      }),
    );
  });

  it('has its parameters in one order, so that a view has one address', () => {
    const address = [
      'tab=runs&smoothing=0.9&xAxis=wall&xScale=log&yScale=symlog&ignoreOutliers=true&writers=mean&tagFilter=t&runFilter=r',
      'pinnedCards=%5B%7B%22plugin%22%3A%22scalars%22%2C%22tag%22%3A%22a%22%7D%5D&run=a&run=b&hide=c',
      'card=a&with=b&superseded=true&table=true&from=1&to=2&y=0..1%3Aa&panel=%7B%22match%22%3A%22a%22%7D&fold=a&unfold=b',
      'step=3&histograms=overlay&images=grid&imageSize=100&image=%5B%22a%22%2C%22b%22%5D&imageWith=%5B%22b%22%2C1%5D',
      'imageComparison=flicker&textDiff=first&waveforms=true&graph=g&open=o&log=l',
      'runColorGroup=regex%3Aa&spread=std&runSort=name&where=x&archived=true&stalledAfter=5',
      'tooltipSort=descending&cardSize=small&order=a&wide=b&compare=e&about=r&embed=true',
      'sort=s&column=c&differ=true&pin=p&group=g&columnWidth=100%3Ac',
      'plotX=x&plotY=y&plotColor=z&plotXScale=log&plotYScale=log&plotAxis=a&plotAxisScale=log%3Aa&importance=i',
    ].join('&');
    expect(viewParameters(parse(address)).toString()).toBe(address);
    expect(viewParameters(parse(address.split('&').toReversed().join('&'))).size).toBe(new URLSearchParams(address).size);
  });

  it('leaves out defaults', () => {
    expect(viewParameters(plainView).toString()).toBe('');
    expect(parse('')).toEqual(plainView);
  });

  it("reads TensorBoard's parameters", () => {
    const view = parse('smoothing=0.9&tagFilter=loss&runFilter=lr&pinnedCards=[{"plugin":"scalars","tag":"a/b"}]');
    expect(view).toMatchObject({ smoothing: 0.9, tagFilter: 'loss', runFilter: 'lr', pinned: ['a/b'] });
  });

  it.each(['smoothing=x', 'xAxis=y', 'pinnedCards={', 'pinnedCards=[1,null,{}]', 'from=5&to=1', 'from=1', 'nothing=1', 'yScale='])(
    'gives the default view if invalid: %s',
    (text) => expect(parse(text)).toEqual(plainView),
  );

  it('encodes the y range of each chart', () => {
    const view = parse('y=-0.5..1e-7:a:1..2/b&y=..1:x&y=2..1:x&y=1..2&y=3..4:a:1..2/b');
    expect(view.yRanges).toEqual([{ tag: 'a:1..2/b', min: -0.5, max: 1e-7 }]);
    expect(yRangeOf(view, 'a:1..2/b')).toMatchObject({ min: -0.5, max: 1e-7 });
    expect([yRangeOf(view, 'x'), isZoomed(view), isZoomed({ ...view, ...unzoomed })]).toEqual([null, true, false]);
  });

  it('takes linear time for any value of any parameter', () => {
    /** Every parameter has this value. */
    class Everywhere extends URLSearchParams {
      readonly value: string;
      constructor(value: string) {
        super();
        this.value = value;
      }
      override get(): string {
        return this.value;
      }
      override getAll(): string[] {
        return [this.value];
      }
    }
    // Quadratic time would take minutes.
    for (const unit of ['.', '..', ':', '1', '-', ' ', '\t', '{', '[', '"', '\\', '/', '(', '%', '=', 'a', 'a.', '1,', '["'])
      for (const after of ['', '!', '1:a']) expect(parseView(new Everywhere(unit.repeat(512 * 1024) + after)).card).not.toBeNull();
  });

  it('bounds smoothing', () => {
    expect([parse('smoothing=7').smoothing, parse('smoothing=-1').smoothing]).toEqual([0.999, 0]);
  });
});
