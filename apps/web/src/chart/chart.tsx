import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  type ChartLine,
  chartScales,
  type Extent,
  formatCount,
  isZoomed,
  soloRun,
  styleWriters,
  unplacedText,
  unzoomed,
  yRangeOf,
} from '#charts';
import { problemText } from '../api/problem.ts';
import { narrowQuery, useMedia, useTheme } from '../app/theme.ts';
import { inAddress } from '../compare/compared-run.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { isSeen } from './is-seen.ts';
import { Plot, type PlotEvents } from './plot.ts';
import type { PlotContent } from './plot-content.ts';
import { roundRange } from './round-range.ts';
import { PointerReader } from './pointer-reader.ts';
import { useGhosts } from './superseded.ts';
import { withTags } from './tag-styles.ts';
import type { TooltipEvents } from './tooltip.ts';
import { lineName, useChartData } from './use-chart-data.ts';
import { useChartKeys } from './use-chart-keys.ts';

/** A chart's current content, for saving it as a file. */
export interface ChartHandle {
  readonly content: PlotContent | null;
  readonly canvas: HTMLCanvasElement | null;
}

interface ChartProps {
  /** The chart's own tag, and the other tags drawn in it. */
  readonly tags: readonly string[];
  /** The panel's key, if the chart is a panel. None of a panel's tags is the chart's own. */
  readonly panel?: string;
  /** Whether the tag is an expression over tags. */
  readonly isFormula?: boolean;
  readonly size: 'card' | 'large';
  readonly handle: Ref<ChartHandle>;
  readonly onLines: (lines: readonly ChartLine[]) => void;
}

/** A tag's chart: loads the data, draws it, and responds to the pointer. Its size never changes. */
export function Chart({ tags, panel, isFormula = false, size, handle, onLines }: ChartProps) {
  const tag = panel ?? tags[0] ?? '';
  const { view: viewStore, hover } = useWorld();
  const { styles: own, compared, shown } = useContents();
  const picks = useRef<TooltipEvents>(null);
  picks.current = {
    onPick: ({ line }) => {
      if (line.members === 1) changeView(viewStore, soloRun(viewStore.value, inAddress([line.series.run], compared)[0]!));
    },
    onOpen: ({ line }) => changeView(viewStore, { about: inAddress([line.series.run], compared)[0]!, card: null }),
  };
  const view = useView((all) => all);
  const styles = useMemo(() => withTags(own, tags, shown, panel !== undefined && !isFormula), [own, tags, shown, panel, isFormula]);
  const theme = useTheme();
  const narrow = useMedia(narrowQuery);
  const { lines, logged, pending, refining, error, retry, extent } = useChartData(tags, size, {
    named: panel !== undefined && !isFormula,
    isFormula,
  });
  const y = yRangeOf(view, tag);
  const scaled = view.ignoreOutliers || view.range !== null ? lines : logged; // otherwise, smoothing does not affect the axes
  const scales = useMemo(
    () => chartScales(scaled, view, y),
    // oxlint-disable-next-line react/exhaustive-deps -- the rest of the view affects nothing
    [scaled, view.range, view.xAxis, view.xScale, view.yScale, view.ignoreOutliers, y],
  );
  useEffect(() => onLines(lines), [lines, onLines]);

  const { ghosts, note } = useGhosts(tags[0] ?? '');
  const isEmpty = useMemo(() => y !== null && scales !== null && !lines.some((line) => isSeen(line, scales)), [y, scales, lines]);
  const beyond = useMemo(
    () => (view.ignoreOutliers && y === null && scales !== null ? lines.filter((line) => !isSeen(line, scales)).length : 0),
    [view.ignoreOutliers, y, scales, lines],
  );
  const outliers =
    beyond === 0
      ? ''
      : `Outliers are ignored: ${formatCount(beyond)} of ${formatCount(lines.length)} lines ${beyond === 1 ? 'is' : 'are'} outside the y axis.`;
  const hint = isEmpty ? 'No line crosses the visible range.' : [note, outliers].filter((text) => text !== '').join(' ');
  const content = useMemo(
    () => scales && { lines, scales, styles: styleWriters(styles, lines, lineName), xAxis: view.xAxis, theme, ghosts },
    [lines, scales, styles, view.xAxis, theme, ghosts],
  );
  const { box, plot, drawn } = usePlot(tag, content, {
    zoom: (across, along) => {
      const range = across && roundRange(across, view.xAxis);
      const yRanges = along && [...viewStore.value.yRanges.filter((one) => one.tag !== tag), { tag, ...roundExtent(along) }];
      changeView(viewStore, { ...(range && { range }), ...(yRanges && { yRanges }) });
    },
    reset: () => {
      if (isZoomed(viewStore.value)) changeView(viewStore, unzoomed);
    },
    whole: () => (scales ? extent(scales.x.kind) : null),
  });
  const reading = useRef<HTMLDivElement>(null);
  const reader = useRef<PointerReader>(null);
  useFirstChartUntil(content !== null || !pending, tag);
  useEffect(() => {
    if (!drawn) return;
    const made = new PointerReader(drawn, hover, narrow ? reading.current : null, {
      sort: () => viewStore.value.tooltipSort,
      onPick: (picked) => picks.current?.onPick(picked),
      onOpen: (opened) => picks.current?.onOpen(opened),
    });
    reader.current = made;
    return () => made.close();
  }, [drawn, hover, narrow, viewStore]);
  const keys = useChartKeys(tags, content, { plot, reader, extent });
  useImperativeHandle(handle, () => ({
    get content() {
      return plot.current?.content ?? null;
    },
    get canvas() {
      return plot.current?.canvas ?? null;
    },
  }));

  return (
    <div className="chart" aria-busy={pending || refining}>
      <div className="chart-box" ref={box} {...keys} />
      {refining && <div className="refining" aria-hidden="true" />}
      {content === null && <ChartMessage pending={pending} error={error} lines={lines} retry={retry} />}
      {content !== null && (error !== null || hint !== '') && <ChartHint error={error} note={hint} retry={retry} />}
      <div className="reading" ref={reading} />
    </div>
  );
}

interface MessageProps {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly lines: readonly ChartLine[];
  readonly retry: () => void;
}

/** Shown instead of a chart. */
function ChartMessage({ pending, error, lines, retry }: MessageProps) {
  if (error)
    return (
      <p className="chart-message">
        {problemText(error)}{' '}
        <button type="button" className="quiet" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (pending) return null;
  return <p className="chart-message">{lines.length === 0 ? 'No data for the selected runs.' : unplacedText(lines)}</p>;
}

interface HintProps {
  readonly error: Error | null;
  readonly note: string;
  readonly retry: () => void;
}

/** A message above a chart that is incomplete. */
function ChartHint({ error, note, retry }: HintProps) {
  return (
    <p className="chart-hint" role="status">
      {error ? `Could not load data: ${problemText(error)}` : note}
      {error && (
        <button type="button" className="quiet" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}

/**
 * A plot in an element of the page, while there is something to show. Until then, the server's
 * picture stays. `drawn` is the same plot as state, for effects that attach to it: when a suspended
 * page is shown again, React reruns only layout effects, which creates another plot.
 */
function usePlot(tag: string, content: PlotContent | null, events: PlotEvents) {
  const { firstCharts } = useWorld();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const [drawn, setDrawn] = useState<Plot | null>(null);
  const latest = useRef(events);
  latest.current = events;
  useLayoutEffect(() => {
    const first = firstCharts === 'server' ? null : firstCharts.of(tag);
    if (first && !plot.current) box.current!.append(first);
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [firstCharts, tag]);
  useLayoutEffect(() => {
    if (!content) {
      plot.current?.destroy();
      plot.current = null;
    } else if (plot.current) {
      plot.current.show(content);
    } else {
      const made = new Plot(box.current!, content, {
        zoom: (x, y) => latest.current.zoom(x, y),
        reset: () => latest.current.reset(),
        whole: () => latest.current.whole(),
      });
      plot.current = made;
    }
    setDrawn(plot.current);
  }, [content, firstCharts, tag]); // the last two: the effect above has removed the plot
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width > 0 && height > 0) plot.current?.resize(Math.round(width), Math.round(height));
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return { box, plot, drawn };
}

/** Removes the server's picture for good once a canvas or a message replaces it. */
function useFirstChartUntil(settled: boolean, tag: string): void {
  const { firstCharts } = useWorld();
  useLayoutEffect(() => {
    if (settled && firstCharts !== 'server') firstCharts.forget(tag);
  }, [settled, firstCharts, tag]);
}

/** Rounds an extent to the digits needed to tell pixels apart. */
function roundExtent({ min, max }: Extent): Extent {
  const digits = Math.min(17, 4 + Math.ceil(Math.log10(Math.max(Math.abs(min), Math.abs(max)) / (max - min))));
  const rounded = { min: Number(min.toPrecision(digits)), max: Number(max.toPrecision(digits)) };
  return rounded.min < rounded.max ? rounded : { min, max };
}
