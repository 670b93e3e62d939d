import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type ChartLine, type ChartScales, chartScales, dashes, type Extent, type RunStyle } from '#charts';
import { problemText } from '../api/problem.ts';
import { narrowQuery, useMedia, useTheme } from '../app/theme.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { Plot } from './plot.ts';
import type { PlotContent } from './plot-content.ts';
import { PointerReader } from './pointer-reader.ts';
import { useGhosts } from './superseded.ts';
import { lineName, useChartData } from './use-chart-data.ts';

/** What a chart shows at the moment, for whoever wants a file of it. */
export interface ChartHandle {
  readonly content: PlotContent | null;
  readonly canvas: HTMLCanvasElement | null;
}

interface ChartProps {
  readonly tag: string;
  readonly size: 'card' | 'large';
  readonly handle: Ref<ChartHandle>;
  readonly onLines: (lines: readonly ChartLine[]) => void;
}

/** The chart of a tag: loads, draws, answers the pointer. It keeps its size whatever happens. */
export function Chart({ tag, size, handle, onLines }: ChartProps) {
  const { view: viewStore, hover } = useWorld();
  const { styles: own, runs } = useContents();
  const view = useView((all) => all);
  const also = size === 'large' ? view.also : none;
  const styles = useMemo(
    () =>
      also.length === 0
        ? own
        : withTags(
            own,
            runs.map(({ run }) => run),
            also,
          ),
    [own, runs, also],
  );
  const theme = useTheme();
  const narrow = useMedia(narrowQuery);
  const { lines, pending, refining, error, retry } = useChartData(tag, size, also);
  const [y, setY] = useState<Extent | null>(null);
  const scales = useMemo(
    () => chartScales(lines, view, y),
    [lines, view.range, view.xAxis, view.xScale, view.yScale, view.ignoreOutliers, y], // the rest of the view moves nothing
  );
  useEffect(() => setY(null), [view.yScale]);
  useEffect(() => onLines(lines), [lines, onLines]);

  const ghosts = useGhosts(tag);
  const content = useMemo(
    () => scales && { lines, scales, styles, xAxis: view.xAxis, theme, ghosts },
    [lines, scales, styles, view.xAxis, theme, ghosts],
  );
  const { box, plot } = usePlot(tag, content, {
    zoom: (across, along) => {
      if (along) setY(along);
      if (across) changeView(viewStore, { range: roundRange(across, view.xAxis) });
    },
    reset: () => {
      setY(null);
      changeView(viewStore, { range: null });
    },
  });
  const reading = useRef<HTMLDivElement>(null);
  useFirstChartUntil(content !== null || !pending, tag);
  useEffect(() => {
    if (!plot.current) return;
    const reader = new PointerReader(plot.current, hover, narrow ? reading.current : null, () => viewStore.value.tooltipSort);
    return () => reader.close();
  }, [content === null, hover, narrow, plot, viewStore]);
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
      <div className="chart-box" ref={box} />
      {refining && <div className="refining" aria-hidden="true" />}
      {content === null && <ChartMessage pending={pending} error={error} lines={lines.length} scales={scales} retry={retry} />}
      <div className="reading" ref={reading} />
    </div>
  );
}

const none: readonly string[] = [];

/** Lines of other tags have the colours of their runs, and dashes of their own. */
function withTags(own: ReadonlyMap<string, RunStyle>, runs: readonly string[], tags: readonly string[]): ReadonlyMap<string, RunStyle> {
  const more = tags.flatMap((tag, i) =>
    runs.map((run): [string, RunStyle] => [lineName({ run, tag }), { color: own.get(run)?.color ?? 0, dash: (i + 1) % dashes.length }]),
  );
  return new Map([...own, ...more]);
}

interface MessageProps {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly lines: number;
  readonly scales: ChartScales | null;
  readonly retry: () => void;
}

/** What stands where there is no chart. */
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
  return <p className="chart-message">{lines === 0 ? 'None of the shown runs has this tag.' : 'No value has a place on these axes.'}</p>;
}

/** A plot in a box of the page, as long as there is something to show. What the server drew stands there until then. */
function usePlot(
  tag: string,
  content: PlotContent | null,
  events: { zoom: (x: Extent | null, y: Extent | null) => void; reset: () => void },
) {
  const { firstCharts } = useWorld();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
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
      const made = new Plot(box.current!, content, { zoom: (x, y) => latest.current.zoom(x, y), reset: () => latest.current.reset() });
      plot.current = made;
    }
  }, [content]);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width > 0 && height > 0) plot.current?.resize(Math.round(width), Math.round(height));
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return { box, plot };
}

/** What the server drew goes for good when there is a canvas, or something to say instead. */
function useFirstChartUntil(settled: boolean, tag: string): void {
  const { firstCharts } = useWorld();
  useLayoutEffect(() => {
    if (settled && firstCharts !== 'server') firstCharts.forget(tag);
  }, [settled, firstCharts, tag]);
}

/** Steps are whole, and addresses short: what is finer than a pixel says nothing. */
function roundRange({ min, max }: Extent, xAxis: string): { from: number; to: number } {
  const digits = xAxis === 'step' ? 0 : Math.max(0, 3 - Math.floor(Math.log10(max - min)));
  const from = Number(min.toFixed(Math.min(digits, 20)));
  const to = Number(max.toFixed(Math.min(digits, 20)));
  return from < to ? { from, to } : { from: Math.floor(min), to: Math.floor(min) + 1 };
}
