import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type ChartScales, type Extent, leftInset, plotInsets, valueTicks, xTicks } from '#charts';
import { drawLines, type Ink } from './draw-lines.ts';
import { followPinch, type Pinch, pinchedPart } from './pinch.ts';
import type { PlotContent } from './plot-content.ts';
import type { Reading } from './readout.ts';

/** Interactions with a plot. */
export interface PlotEvents {
  /**
   * A box was dragged, or two fingers moved apart: the new range of each axis; null for the full
   * range.
   */
  zoom(x: Extent | null, y: Extent | null): void;
  /** A double click, or two fingers moved together: show all again. */
  reset(): void;
}

/** Pixels of a plot. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/**
 * The pointer's position, or a function for other kinds of reading, called again when the content
 * changes.
 */
export type Pointed = Place | (() => readonly Reading[]);

/** A smaller box, in pixels, counts as a click. */
const leastBox = 6;

/**
 * A chart on a canvas: uPlot handles the axes, the dragged box and the size; the lines, which have
 * separate steps, are drawn into it here. A highlighted line is drawn on a second canvas, so that a
 * moving pointer never redraws the others.
 */
export class Plot {
  readonly #root: HTMLElement;
  /** The zoom of boxes, gestures and keys. */
  readonly events: PlotEvents;
  readonly #chart: uPlot;
  readonly #overlay = document.createElement('canvas');
  readonly #crosshair = document.createElement('div');
  readonly #dot = document.createElement('div');
  /** Called with the pointer's position, at most once per frame; null: it left. */
  onPoint: ((at: Pointed | null) => void) | null = null;
  #at: Pointed | null = null;
  #pinching = false;
  #content: PlotContent;
  #highlighted: string | null = null;
  #ink: Ink;

  constructor(root: HTMLElement, content: PlotContent, events: PlotEvents) {
    this.#root = root;
    this.events = events;
    this.#content = content;
    this.#ink = inkOf(root);
    this.#overlay.className = 'overlay';
    this.#crosshair.className = 'crosshair';
    this.#dot.className = 'dot';
    this.#chart = new uPlot(this.#options(), dataOf(content), root);
    this.#chart.over.append(this.#overlay, this.#crosshair, this.#dot);
    this.#listen();
  }

  /**
   * Pixels of the plot itself, without axes; reading those of its element would force a layout of
   * the page.
   */
  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.#chart.bbox;
    return { width: width / devicePixelRatio, height: height / devicePixelRatio };
  }

  get content(): PlotContent {
    return this.#content;
  }

  /** The element that covers the plot, to compute positions on the page. */
  get over(): HTMLElement {
    return this.#chart.over;
  }

  show(content: PlotContent): void {
    if (content.theme !== this.#content.theme) this.#ink = inkOf(this.#root);
    if (content.xAxis !== this.#content.xAxis && typeof this.#at === 'function') this.#at = null; // its position is invalid on another axis
    this.#content = content;
    this.#chart.setData(dataOf(content));
    this.#drawHighlight();
    if (this.#at) this.onPoint?.(this.#at); // a different entry is there now
  }

  resize(width: number, height: number): void {
    if (width === this.#chart.width && height === this.#chart.height) return;
    this.#chart.setSize({ width, height });
  }

  /** Reads at this position until the pointer moves; null: nowhere. */
  point(at: Pointed | null): void {
    this.#at = at;
    this.onPoint?.(at);
  }

  /** Highlights one run and fades the others; null: none. */
  highlight(run: string | null): void {
    if (run === this.#highlighted) return;
    this.#highlighted = run;
    this.#drawHighlight();
  }

  /** A vertical line across the plot at this position; null: none. */
  crosshair(x: number | null): void {
    const position = x === null ? Number.NaN : this.#content.scales.x.position(x);
    const inside = position >= 0 && position <= 1;
    this.#crosshair.classList.toggle('on', inside);
    if (inside) this.#crosshair.style.transform = `translateX(${Math.round(position * this.size.width)}px)`;
  }

  /** A dot on the line being read; null: none. */
  mark(at: { readonly left: number; readonly top: number; readonly color: string } | null): void {
    const { width, height } = this.size;
    this.#dot.classList.toggle('on', at !== null && at.top >= 0 && at.top <= height && at.left >= 0 && at.left <= width);
    if (!at) return;
    this.#dot.style.transform = `translate(${at.left}px, ${at.top}px)`;
    this.#dot.style.background = at.color;
  }

  /** The current picture, for a file. */
  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  destroy(): void {
    this.#chart.destroy();
  }

  #options(): uPlot.Options {
    const { width, height } = this.#root.getBoundingClientRect();
    const scales = (): ChartScales => this.#content.scales;
    const font = '11px "Inter Variable", system-ui, sans-serif';
    const stroke = (): string => this.#ink.label;
    return {
      width: Math.max(1, Math.round(width)),
      height: Math.max(1, Math.round(height)),
      padding: [plotInsets.top, plotInsets.right, 0, 0],
      legend: { show: false },
      cursor: {
        x: false,
        y: false,
        points: { show: false },
        drag: { x: true, y: true, uni: 30, setScale: false },
        bind: { dblclick: () => () => (this.events.reset(), null) },
      },
      scales: {
        x: {
          time: false,
          distr: 100,
          fwd: (value) => scales().x.forward(value),
          bwd: (value) => scales().x.inverse(value),
          range: () => [scales().x.min, scales().x.max],
        },
        y: {
          distr: 100,
          fwd: (value) => scales().y.forward(value),
          bwd: (value) => scales().y.inverse(value),
          range: () => [scales().y.min, scales().y.max],
        },
      },
      axes: [
        {
          size: plotInsets.bottom,
          gap: 6,
          font,
          stroke,
          ticks: { show: false },
          grid: { show: false },
          filter: (_, splits) => splits,
          splits: () => this.#xTicks().map(({ value }) => value),
          values: () => this.#xTicks().map(({ label }) => label),
        },
        {
          size: (_, labels: readonly string[] | null) => leftInset(labels ?? []),
          gap: 8,
          font,
          stroke,
          ticks: { show: false },
          grid: { stroke: () => this.#ink.grid, width: 1, filter: (_, splits) => splits },
          filter: (_, splits) => splits,
          splits: () => valueTicks(scales().y, this.#most()).map(({ value }) => value),
          values: () => valueTicks(scales().y, this.#most()).map(({ label }) => label),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(chart) => drawLines(chart.ctx, chart.bbox, this.#content, devicePixelRatio), () => this.#fitOverlay()],
        setSelect: [(chart) => this.#select(chart)],
        setSize: [() => this.#fitOverlay()],
      },
    };
  }

  #xTicks() {
    const { scales, xAxis } = this.#content;
    const left = leftInset(valueTicks(scales.y, this.#most()).map(({ label }) => label));
    const room = { wide: this.#chart.width - left - plotInsets.right, left, right: plotInsets.right };
    return xTicks(xAxis, scales.x, this.#chart.width > 700 ? 9 : 5, localOffset, room);
  }

  /** Labels are at least 30 pixels apart. */
  #most(): number {
    const tall = this.#chart.height - plotInsets.top - plotInsets.bottom;
    return Math.max(2, Math.min(tall > 450 ? 8 : 5, Math.floor(tall / 30)));
  }

  #select(chart: uPlot): void {
    const { left, top, width, height } = chart.select;
    if (width === 0 && height === 0) return;
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const { scales } = this.#content;
    const size = this.size;
    const across = width < size.width ? part(scales.x, left / size.width, (left + width) / size.width) : null;
    const along = height < size.height ? part(scales.y, 1 - (top + height) / size.height, 1 - top / size.height) : null;
    if ((across && width < leastBox) || (along && height < leastBox)) return;
    if (across || along) this.events.zoom(across, along);
  }

  #listen(): void {
    let asked = 0;
    const point = (at: Place | null): void => {
      if (this.#pinching) return;
      this.#at = at;
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        this.onPoint?.(this.#at);
      });
    };
    const move = (event: PointerEvent): void => {
      const box = this.#chart.over.getBoundingClientRect();
      point({ left: event.clientX - box.left, top: event.clientY - box.top });
    };
    const { over } = this.#chart;
    over.addEventListener('pointermove', move);
    over.addEventListener('pointerdown', move);
    over.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && point(null));
    followPinch(over, { move: (pinch) => this.#pinch(pinch), end: (pinch) => this.#endPinch(pinch) });
  }

  /** Shows the zoom of two fingers as a box, until they end. */
  #pinch(pinch: Pinch | null): void {
    this.#pinching = pinch !== null;
    const { width, height } = this.size;
    const asked = pinch && pinchedPart(pinch, width);
    const box = asked && asked !== 'all' ? { left: asked.left, width: asked.right - asked.left, height } : { left: 0, width: 0, height: 0 };
    this.#chart.setSelect({ ...box, top: 0 }, false);
  }

  #endPinch(pinch: Pinch): void {
    const { width } = this.size;
    const asked = pinchedPart(pinch, width);
    if (asked === 'all') this.events.reset();
    else if (asked) this.events.zoom(part(this.#content.scales.x, asked.left / width, asked.right / width), null);
  }

  #fitOverlay(): void {
    const { width, height } = this.size;
    const [wide, tall] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
    // Longer labels make the plot narrower
    if (this.#overlay.width === wide && this.#overlay.height === tall) return;
    [this.#overlay.width, this.#overlay.height] = [wide, tall];
    this.#drawHighlight();
  }

  #drawHighlight(): void {
    const context = this.#overlay.getContext('2d')!;
    const { width, height } = this.#overlay;
    context.clearRect(0, 0, width, height);
    const lines = this.#content.lines.filter(({ run, series }) => run === this.#highlighted || series.run === this.#highlighted);
    if (lines.length === 0) return;
    // Fades the others, without the axes
    context.globalAlpha = this.#content.lines.length > 1 ? 0.6 : 0;
    context.fillStyle = this.#ink.ground;
    context.fillRect(0, 0, width, height);
    context.globalAlpha = 1;
    drawLines(context, { left: 0, top: 0, width, height }, { ...this.#content, lines, ghosts: [] }, devicePixelRatio, true);
  }
}

/** uPlot needs points to draw anything; we draw ours, so two that span the axes are enough. */
function dataOf({ scales: { x, y } }: PlotContent): [number[], number[]] {
  return [
    [x.min, x.max],
    [y.min, y.max],
  ];
}

function part(scale: ChartScales['x'], from: number, to: number): Extent {
  const low = scale.forward(scale.min);
  const span = scale.forward(scale.max) - low;
  return { min: scale.inverse(low + Math.max(0, from) * span), max: scale.inverse(low + Math.min(1, to) * span) };
}

/** Colours of the page's style sheet, for a canvas. */
function inkOf(root: HTMLElement): Ink {
  const style = getComputedStyle(root);
  return { label: style.getPropertyValue('--dim'), grid: style.getPropertyValue('--grid'), ground: style.getPropertyValue('--ground') };
}

/** Seconds that local time is ahead of UTC at that time. */
function localOffset(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 0 : -date.getTimezoneOffset() * 60;
}
