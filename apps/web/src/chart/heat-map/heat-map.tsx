import { type KeyboardEvent, type PointerEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import {
  type ChartLine,
  countText,
  elideNames,
  formatCount,
  formatExact,
  type HeatMap,
  type HeatScale,
  heatScales,
  type HeatValue,
  heatValues,
  isZoomed,
  leftInset,
  makeScale,
  naturally,
  notFiniteAt,
  type Scale,
  unzoomed,
  type View,
  visibleText,
  xExtent,
  xTicks,
} from '#charts';
import { problemText } from '../../api/problem.ts';
import { Icon } from '../../app/icons.tsx';
import { Menu } from '../../app/menu.tsx';
import { rampColors } from '../../app/ramp.ts';
import { useStore } from '../../app/store.ts';
import { useTheme } from '../../app/theme.ts';
import { namesIn, runText } from '../../compare/compared-run.ts';
import { SvgAxes } from '../../data/svg-axes.tsx';
import { changeView } from '../../experiment/change-view.ts';
import { nowhere, useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { extentText } from '../extent-text.ts';
import { notFiniteText } from '../not-finite-text.ts';
import { localOffset } from '../plot.ts';
import { roundRange } from '../round-range.ts';
import { momentText } from '../tooltip.ts';
import { useChartData } from '../use-chart-data.ts';
import { drawHeat } from './draw-heat.ts';
import { type HeatCell, heatCells, heatExtent, heatPixels, heatPlaces, type HeatRow } from './heat-cells.ts';
import { ownParts } from './own-parts.ts';

interface HeatMapProps {
  readonly tags: readonly string[];
  readonly title: string;
  readonly heatMap: HeatMap;
  readonly onChange: (heatMap: HeatMap) => void;
  readonly onLines: (lines: readonly ChartLine[]) => void;
}

/** Tags of one run as a heat map: a row for each tag, a column for each step. */
export default function HeatMapChart({ tags, title, heatMap, onChange, onLines }: HeatMapProps) {
  const { runs, shown } = useContents();
  const all = runs.flatMap(({ run }) => (shown.has(run) ? [run] : []));
  const own = namesIn('', all);
  const choices = own.length > 0 ? own : all.slice(0, 1);
  const run = choices.find((one) => one === heatMap.run) ?? choices[0];
  if (run === undefined) return <p className="chart-message">No data for the selected runs.</p>;
  const settings = <Settings heatMap={heatMap} run={run} runs={choices} onChange={onChange} />;
  return <HeatMapOfRun run={run} isOneOfSeveral={all.length > 1} {...{ tags, title, heatMap, settings, onLines }} />;
}

const valueNames: Readonly<Record<HeatValue, string>> = { max: 'Largest value', min: 'Smallest value', last: 'Last value' };
const scaleNames: Readonly<Record<HeatScale, string>> = { linear: 'Linear', log: 'Log' };

interface SettingsProps {
  readonly heatMap: HeatMap;
  readonly run: string;
  readonly runs: readonly string[];
  readonly onChange: (heatMap: HeatMap) => void;
}

function Settings({ heatMap, run, runs, onChange }: SettingsProps) {
  return (
    <Menu label="Heat map settings" side="start" icon={<Icon name="settings" />}>
      <div className="menu-form">
        <label>
          Color scale
          <select value={heatMap.scale} onChange={({ target }) => onChange({ ...heatMap, scale: target.value as HeatScale })}>
            {heatScales.map((scale) => (
              <option key={scale} value={scale}>
                {scaleNames[scale]}
              </option>
            ))}
          </select>
        </label>
        <label title="Of the points that share a cell">
          Color of a cell
          <select value={heatMap.value} onChange={({ target }) => onChange({ ...heatMap, value: target.value as HeatValue })}>
            {heatValues.map((value) => (
              <option key={value} value={value}>
                {valueNames[value]}
              </option>
            ))}
          </select>
        </label>
        {runs.length > 1 && (
          <label>
            Run
            <select value={run} onChange={({ target }) => onChange({ ...heatMap, run: target.value })}>
              {runs.map((one) => (
                <option key={one} value={one}>
                  {runText(one)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </Menu>
  );
}

/** Pixels of the plot's surroundings; the left side depends on the labels. */
const insets = { top: 4, right: 16, bottom: 24 } as const;
/** Minimum pixels between the labels of two rows. */
const labelHeight = 13;
/** Moving by less is a click, not a drag. */
const minDrag = 4;

interface OfRunProps extends Omit<HeatMapProps, 'onChange'> {
  readonly run: string;
  readonly isOneOfSeveral: boolean;
  readonly settings: React.ReactNode;
}

function HeatMapOfRun({ run, isOneOfSeveral, tags, title, heatMap, settings, onLines }: OfRunProps) {
  const range = useView((all) => all.range);
  const xAxis = useView((all) => all.xAxis);
  const xScale = useView((all) => all.xScale);
  const ignoreOutliers = useView((all) => all.ignoreOutliers);
  const { logged: lines, pending, refining, error, retry } = useChartData(tags, 'card', { named: true, only: run });
  useEffect(() => onLines(lines), [lines, onLines]);
  const rows = useMemo(() => rowsOf(tags, lines), [tags, lines]);
  const kind = xAxis === 'wall' ? 'linear' : xScale;
  const x = useMemo(() => {
    const whole = xExtent(lines, kind);
    if (!whole) return null;
    const { min, max } = range ? { min: range.from, max: range.to } : kind === 'linear' ? widened(whole, lines) : whole;
    return makeScale(kind, min, max);
  }, [lines, kind, range]);
  const colors = useMemo(
    () => x && heatExtent(rows, x, { scale: heatMap.scale, value: heatMap.value, ignoreOutliers }),
    [rows, x, heatMap.scale, heatMap.value, ignoreOutliers],
  );
  return (
    <div className="heat-map" aria-busy={pending || refining}>
      <div className="heat-head">
        {settings}
        {isOneOfSeveral && (
          <span className="heat-run" title={runText(run)}>
            {runText(run)}
          </span>
        )}
        {x && colors && <Legend rows={rows} x={x} heatMap={heatMap} colors={colors} ignoreOutliers={ignoreOutliers} />}
      </div>
      {error !== null && (
        <p className="chart-message">
          {problemText(error)}{' '}
          <button type="button" className="quiet" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {error === null && !pending && !x && <p className="chart-message">No data for the selected runs.</p>}
      {error === null && x && <HeatPlot rows={rows} x={x} colors={colors} {...{ run, title, heatMap, xAxis }} />}
    </div>
  );
}

/** In natural order; only tags of which the run has points. */
function rowsOf(tags: readonly string[], lines: readonly ChartLine[]): HeatRow[] {
  const byTag = Map.groupBy(lines, ({ series }) => series.tag);
  return tags.toSorted(naturally).flatMap((tag) => {
    const own = byTag.get(tag)?.filter((line) => line.x.length > 0) ?? [];
    return own.length > 0 ? [{ tag, lines: own }] : [];
  });
}

/** The first and the last column are as wide as the others. */
function widened(whole: { readonly min: number; readonly max: number }, lines: readonly ChartLine[]) {
  const longest = lines.reduce<ChartLine | null>((max, line) => (line.x.length > (max?.x.length ?? 1) ? line : max), null);
  if (!longest?.series.raw) return whole;
  const half = (whole.max - whole.min) / (longest.x.length - 1) / 2;
  return { min: whole.min - half, max: whole.max + half };
}

interface LegendProps {
  readonly rows: readonly HeatRow[];
  readonly x: Scale;
  readonly heatMap: HeatMap;
  readonly colors: { readonly min: number; readonly max: number };
  readonly ignoreOutliers: boolean;
}

function Legend({ rows, x, heatMap, colors, ignoreOutliers }: LegendProps) {
  const id = useId();
  const theme = useTheme();
  const [min, max] = extentText(colors).split(' to ');
  const { hatched, gray } = useMemo(() => {
    let [hasNotFinite, hasLow] = [false, false];
    for (const { lines } of rows)
      for (const { series, x: places } of lines)
        for (let i = 0; i < places.length; i++) {
          if (!(places[i]! >= x.min && places[i]! <= x.max)) continue;
          const { nan, positive, negative } = notFiniteAt(series, i);
          hasNotFinite ||= nan + positive + negative > 0;
          hasLow ||= series.low[i]! <= 0;
        }
    return { hatched: hasNotFinite, gray: hasLow && heatMap.scale === 'log' };
  }, [rows, x, heatMap.scale]);
  return (
    <ul className="heat-legend" aria-label={`Colors: ${valueNames[heatMap.value].toLowerCase()}, ${heatMap.scale} scale`}>
      {hatched && (
        <li>
          <i className="hatched" /> not finite
        </li>
      )}
      {gray && (
        <li>
          <i className="low" /> ≤ 0
        </li>
      )}
      <li>
        {ignoreOutliers && '≤ '}
        {min}
        <svg width={72} height={10} aria-hidden="true">
          <linearGradient id={id}>
            {rampColors(theme).map((color, i, all) => (
              <stop key={color} offset={i / (all.length - 1)} stopColor={color} />
            ))}
          </linearGradient>
          <rect width={72} height={10} rx={2} fill={`url(#${id})`} />
        </svg>
        {ignoreOutliers && '≥ '}
        {max}
        {heatMap.scale === 'log' && ' (log)'}
      </li>
    </ul>
  );
}

interface PlotProps {
  readonly rows: readonly HeatRow[];
  readonly x: Scale;
  /** Null: no value has a color. */
  readonly colors: { readonly min: number; readonly max: number } | null;
  readonly run: string;
  readonly title: string;
  readonly heatMap: HeatMap;
  readonly xAxis: View['xAxis'];
}

/** A cell that is read, by its row and its place in it. */
interface Reading {
  readonly row: number;
  readonly at: number;
  readonly byKey: boolean;
}

function HeatPlot({ rows, x, colors, run, title, heatMap, xAxis }: PlotProps) {
  const { view, hover } = useWorld();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(place);
  const names = useMemo(() => {
    const texts = ownParts(rows.map(({ tag }) => tag)).map(visibleText);
    const short = elideNames(texts, width > 700 ? 24 : width > 480 ? 16 : 11);
    return texts.map((text) => short.get(text)!);
  }, [rows, width]);
  const left = useMemo(() => leftInset(names), [names]);
  const wide = Math.max(0, width - left - insets.right);
  const tall = Math.max(0, height - insets.top - insets.bottom);
  const cells = useMemo(() => rows.map((row) => heatCells(row, x, wide)), [rows, x, wide]);
  useLayoutEffect(() => {
    if (!canvas.current || wide === 0 || tall === 0) return;
    const ratio = devicePixelRatio;
    Object.assign(canvas.current, { width: Math.round(wide * ratio), height: Math.round(tall * ratio) });
    const scaled = (list: readonly HeatCell[]): HeatCell[] =>
      list.map((cell) => ({ ...cell, from: cell.from * ratio, to: cell.to * ratio }));
    const pixels = cells.map((list) => heatPixels(scaled(list), canvas.current!.width, heatMap.value));
    const places = colors ? heatPlaces(heatMap.scale, colors) : () => Number.NaN;
    drawHeat(canvas.current, pixels, { theme, places, ratio });
  }, [cells, wide, tall, theme, heatMap.scale, heatMap.value, colors]);

  const [reading, setReading] = useState<Reading | null>(null);
  const row = reading && cells[reading.row] ? reading.row : -1;
  const cell = row < 0 ? undefined : cells[row]![Math.min(reading!.at, cells[row]!.length - 1)];
  const read = (next: Reading | null): void => {
    setReading(next);
    const found = next && cells[next.row]?.[next.at];
    hover.set(found ? { run: null, x: found.line.x[found.index]! } : nowhere);
  };
  useEffect(() => () => hover.set(nowhere), [hover]);

  const start = useRef<number | null>(null);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const across = ({ clientX }: PointerEvent): number =>
    Math.min(wide, Math.max(0, clientX - place.current!.getBoundingClientRect().left - left));
  const onPointerMove = (event: PointerEvent): void => {
    const at = across(event);
    if (start.current !== null && Math.abs(at - start.current) >= minDrag)
      setBrush([Math.min(at, start.current), Math.max(at, start.current)]);
    const down = event.clientY - place.current!.getBoundingClientRect().top - insets.top;
    const under = Math.min(rows.length - 1, Math.max(0, Math.floor((down / tall) * rows.length)));
    const found = cells[under]!.findLastIndex(({ from, to }) => at >= from && at <= Math.max(to, from + 1));
    read(found < 0 ? null : { row: under, at: found, byKey: false });
  };
  const onPointerUp = (): void => {
    start.current = null;
    setBrush(null);
    if (!brush) return;
    const [low, high] = [x.forward(x.min), x.forward(x.max)];
    const [min, max] = brush.map((at) => x.inverse(low + (at / wide) * (high - low))) as [number, number];
    changeView(view, { range: roundRange({ min, max }, xAxis) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [now, at] = cell ? [row, Math.min(reading!.at, cells[row]!.length - 1)] : [0, -1];
    const last = cells[now]!.length - 1;
    const along = { ArrowRight: at + 1, ArrowLeft: at < 0 ? last : at - 1, Home: 0, End: last }[event.key];
    const vertical = { ArrowDown: now + 1, ArrowUp: now - 1 }[event.key];
    if (along !== undefined) read({ row: now, at: Math.min(last, Math.max(0, along)), byKey: true });
    else if (vertical !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, cell ? vertical : 0));
      read({ row: next, at: nearestCell(cells[next]!, cell ? centerOf(cell) : 0), byKey: true });
    } else if (event.key === '0' && isZoomed(view.value)) changeView(view, unzoomed);
    else if (event.key === 'Escape' && reading) read(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const every = tall === 0 ? 1 : Math.max(1, Math.ceil((labelHeight * rows.length) / tall));
  const ticks = useMemo(
    () => xTicks(xAxis, x, width > 700 ? 9 : 5, localOffset, { wide, left, right: insets.right }),
    [xAxis, x, width, wide, left],
  );
  const ends = [x.min, x.max].map((at) => placeText(at, xAxis)).join(' to ');
  const label = `${visibleText(title)}: heat map of ${countText(rows.length, 'tag')} of ${runText(run)}, ${axisNames[xAxis as 'step'] ?? 'x'} ${ends}. Arrow keys read its cells.`;
  const middle = (index: number): number => insets.top + ((index + 0.5) * tall) / rows.length;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application is a widget */}
      <div
        ref={place}
        className="heat-plot"
        // As charts are: then screen readers pass the arrow keys on
        role="application"
        aria-roledescription="heat map"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application is a widget
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => reading?.byKey && read(null)}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.pointerType !== 'mouse') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = across(event);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          start.current = null;
          setBrush(null);
        }}
        onPointerLeave={() => read(null)}
        onDoubleClick={() => isZoomed(view.value) && changeView(view, unzoomed)}
      >
        <canvas ref={canvas} style={{ left, top: insets.top, width: wide, height: tall }} />
        <svg width={width} height={height} aria-hidden="true">
          <SvgAxes
            box={{ left, top: insets.top, width: wide, height: tall }}
            x={ticks.map((tick) => ({ ...tick, at: left + x.position(tick.value) * wide }))}
            y={[]}
          />
          {names.map((name, i) =>
            i % every === 0 ? (
              <text key={rows[i]!.tag} className="row-name" x={left - 8} y={middle(i) + 4} textAnchor="end">
                {name}
              </text>
            ) : null,
          )}
          <Crosshair x={x} left={left} wide={wide} tall={tall} />
          {cell && (
            <rect
              className="cell"
              x={left + Math.max(0, cell.from)}
              y={insets.top + (row * tall) / rows.length}
              width={Math.max(2, Math.min(wide, cell.to) - Math.max(0, cell.from))}
              height={tall / rows.length}
            />
          )}
          {brush && <rect className="brush" x={left + brush[0]} y={insets.top} width={brush[1] - brush[0]} height={tall} />}
        </svg>
      </div>
      <CellReading
        at={cell ? { place, x: left + Math.min(wide, Math.max(0, centerOf(cell))), y: middle(row) } : null}
        isSpoken={reading?.byKey === true}
      >
        {cell && <CellTexts tag={rows[row]!.tag} cell={cell} xAxis={xAxis} />}
      </CellReading>
    </>
  );
}

const axisNames = { step: 'steps', relative: 'time', wall: 'time' } as const;

function placeText(at: number, xAxis: View['xAxis']): string {
  return xAxis === 'wall' ? momentText(at) : formatCount(Math.round(at));
}

function centerOf({ from, to }: HeatCell): number {
  return (from + to) / 2;
}

function nearestCell(cells: readonly HeatCell[], at: number): number {
  let [best, min] = [0, Infinity];
  cells.forEach((cell, i) => {
    const distance = Math.abs(centerOf(cell) - at);
    if (distance < min) [best, min] = [i, distance];
  });
  return best;
}

/** Where the pointer is, in this or another chart. */
function Crosshair({ x, left, wide, tall }: { readonly x: Scale; readonly left: number; readonly wide: number; readonly tall: number }) {
  const { hover } = useWorld();
  const at = useStore(hover, (now) => now.x);
  const position = at === null ? Number.NaN : x.position(at);
  if (!(position >= 0 && position <= 1)) return null;
  return <path className="crossing" d={`M${left + position * wide} ${insets.top}v${tall}`} />;
}

interface CellTextsProps {
  readonly tag: string;
  readonly cell: HeatCell;
  readonly xAxis: View['xAxis'];
}

/** A point in full; of several the largest, smallest and last one, as the bucket has them. */
function CellTexts({ tag, cell: { line, index }, xAxis }: CellTextsProps) {
  const { series, x } = line;
  const step = (at: number): string => formatCount(at);
  const last = formatCount(series.exactStep?.[index] ?? series.step[index]!);
  const count = series.count[index]!;
  const notFinite = notFiniteText(notFiniteAt(series, index), formatCount);
  const where = xAxis === 'wall' ? ` · ${momentText(x[index]!)}` : '';
  return (
    <>
      <b>{visibleText(tag)}</b>
      {count <= 1 ? (
        <>
          <span className="dim">
            step {last}
            {where}
            {series.writer !== null && ` · writer ${series.writer}`}
          </span>
          <span>{formatExact(series.value[index]!)}</span>
        </>
      ) : (
        <>
          <span className="dim">
            steps {step(series.firstStep[index]!)}–{last}
            {where} · {countText(count, 'point')}
          </span>
          {!Number.isNaN(series.high[index]!) && (
            <span>
              {formatExact(series.low[index]!)} to {formatExact(series.high[index]!)}
            </span>
          )}
          <span>last {formatExact(series.value[index]!)}</span>
          {notFinite !== '' && <span>{notFinite}</span>}
        </>
      )}
    </>
  );
}

interface CellReadingProps {
  /** Pixels in an element. */
  readonly at: { readonly place: React.RefObject<HTMLElement | null>; readonly x: number; readonly y: number } | null;
  /** For screen readers, which a moving pointer would make talk without an end. */
  readonly isSpoken: boolean;
  readonly children: React.ReactNode;
}

/** Beside a cell, above everything else. */
function CellReading({ at, isSpoken, children }: CellReadingProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!at || !element.current) return;
    const { left, top } = at.place.current!.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = element.current;
    const x = left + at.x + 16 + width <= innerWidth - 8 ? left + at.x + 16 : Math.max(8, left + at.x - 16 - width);
    const y = Math.max(8, Math.min(top + at.y + 16, innerHeight - height - 8));
    element.current.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  });
  return createPortal(
    <div ref={element} className={`tooltip beside heat-reading${at ? ' on' : ''}`} role="status" aria-live={isSpoken ? 'polite' : 'off'}>
      {children}
    </div>,
    document.body,
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** In whole pixels; 0 until it is known. */
function useSize(element: React.RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ width: Math.round(width), height: Math.round(height) });
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
