export { elideNames } from './elide-names.ts';
export { leftInset, type Tick, valueTicks, xTicks } from './axis-ticks.ts';
export {
  type ChartLine,
  chartLine,
  entriesAround,
  entriesIn,
  firstAtOrAfter,
  isRising,
  isRoughlySmoothed,
  nearestTo,
  shownValues,
  smoothLines,
} from './chart-lines.ts';
export { linesLook, opacities, plotInsets } from './chart-look.ts';
export { type ChartScales, chartScales } from './chart-scales.ts';
export { type Extent, xExtent } from './extent.ts';
export {
  formatColumn,
  countText,
  formatCount,
  formatDistinct,
  formatDuration,
  formatExact,
  formatHparam,
  formatRange,
  formatShort,
  formatValue,
  hparamNumber,
  tickLabels,
} from './format-number.ts';
export { marksOf, traceMarks } from './marks.ts';
export { meanLine } from './mean-line.ts';
export type { FirstQuery, FirstSeries, PageRenderer } from './page-renderer.ts';
export { nameFilter } from './name-filter.ts';
export { dashes, palettes, type RunStyle, styleRuns, type Theme } from './run-colors.ts';
export { compareNumbers } from './number-order.ts';
export { groupRuns } from './run-groups.ts';
export { smooth } from './smoothing.ts';
export { makeScale, type Scale, type ScaleKind, scaleKinds } from './scale.ts';
export {
  chartColumns,
  joinNotFinite,
  type NotFinite,
  notFiniteAt,
  readSeries,
  type ScalarSeries,
  type SeriesJson,
} from './scalar-series.ts';
export { traceSpikes } from './spikes.ts';
export { unplacedText } from './unplaced-text.ts';
export {
  type HeatMap,
  type HeatScale,
  heatScales,
  type HeatValue,
  heatValues,
  minHeatMapTags,
  maxFormulaLength,
  maxPanels,
  maxPanelTags,
  type Panel,
  panelTags,
  panelText,
  plainHeatMap,
} from './panel.ts';
export { rankTag } from './rank-tag.ts';
export { groupTags, naturally, splitTag } from './tag-groups.ts';
export { nestTags, type TagNode } from './tag-tree.ts';
export { type Dots, type Placing, traceBand, traceLine } from './trace.ts';
export { type BlockFault, parseReportBlock, reportBlock, reportBlockLanguage, type ReportView } from './report-block.ts';
export { addressOf, experimentPathOf, runAddresses, searchWithRun, viewOfAddress } from './view-address.ts';
export { parseView, plainView, type View, viewParameters } from './view.ts';
export { type CardSize, type TooltipSort, tooltipSorts } from './view/cards.ts';
export { isZoomed, readYRanges, unzoomed, yRangeOf } from './view/charts.ts';
export { chooseRuns, isListed, isShown, type RunChoice, soloRun, toggled } from './view/choice.ts';
export { maxSmoothing, spacingOf, type WritersForm, writersForms } from './view/lines.ts';
export {
  type HistogramForm,
  histogramForms,
  type ImageChoice,
  type ImageComparison,
  imageComparisons,
  type ImageForm,
  imageForms,
  imageSizeRange,
  type ImageWith,
  readTextBase,
  type TextBase,
  textBaseRun,
} from './view/media.ts';
export { maxCompared } from './view/page.ts';
export type { Spread } from './view/run-list.ts';
export { hasRunPlot, maxPlotAxes } from './view/run-plots.ts';
export { columnWidthRange } from './view/runs-table.ts';
export { type Tab, tabs } from './view/tab.ts';
export { visibleText } from './visible-text.ts';
export { seriesKey, styleWriters, writerLines, writerName } from './writers.ts';
export { isTimeAxis, placesOf, type XAxis, xAxes, xTagOf } from './x-axis.ts';
export { holdsSteps, stepJson, stepsAround, type StepRange, stepsWanted, wholeStep, zoomedLine } from './zoom.ts';
