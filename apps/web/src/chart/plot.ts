import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type ChartScales, type Extent, leftInset, plotInsets, type Scale, valueTicks, xTicks } from '#charts';
import { drawAbove, drawBehind, drawLines, type Ink, type LineWeight } from './draw-lines.ts';
import { pannedRange, wheelPixels, wheelRange } from './move-range.ts';
import { followPinch, type Pinch, pinchedPart } from './pinch.ts';
import { differInSmoothing, type PlotContent } from './plot-content.ts';
import type { Reading } from './readout.ts';
import { smoothingRestMs } from './use-asked-smoothing.ts';

/** Interactions with a plot. */
export interface PlotEvents {
  /**
   * Called after a box is dragged or after a pinch out, with the new range of each axis. Null means
   * the full range.
   */
  zoom(x: Extent | null, y: Extent | null): void;
  /** Called after a double click or a pinch in, to show everything again. */
  reset(): void;
  /** The full range of the x axis, without zoom. Iterates over all points. */
  whole(): Extent | null;
}

/** Pixels of a plot. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/**
 * The pointer's position, or, for other ways of reading, a function that is called again when the
 * content changes.
 */
export type Pointed = Place | (() => readonly Reading[]);

/** A box smaller than this, in pixels, counts as a click. */
const minBox = 6;
/** When the wheel has been idle for this long, the gesture ends and the other charts follow. */
const wheelRestMs = 160;
/** From this number of entries on, lines are drawn as a draft while the smoothing changes. */
const minDraftEntries = 10_000;

/**
 * A chart on a canvas. uPlot handles the axes, the dragged box and the size. We draw the lines,
 * because each line has its own steps. A highlighted line is drawn on a second canvas, so that
 * pointer moves never redraw the other lines.
 */
export class Plot {
  readonly #root: HTMLElement;
  /** The callbacks for zoom with boxes, gestures and keys. */
  readonly events: PlotEvents;
  readonly #chart: uPlot;
  readonly #overlay = document.createElement('canvas');
  readonly #crosshair = document.createElement('div');
  readonly #dot = document.createElement('div');
  /** Called with the pointer's position, at most once per frame. Null after the pointer leaves. */
  onPoint: ((at: Pointed | null) => void) | null = null;
  /** Called with the position of a click that is not a drag. */
  onClick: ((at: Place) => void) | null = null;
  /** Whether the reading stays in place when the pointer moves. */
  hold = false;
  #at: Pointed | null = null;
  #pinching = false;
  /** The x range that this chart alone shows during a wheel or Shift-drag gesture. */
  #moved: Extent | 'all' | null = null;
  #content: PlotContent;
  #highlighted: string | null = null;
  #ink: Ink;
  /**
   * While the smoothing changes, the axes and everything behind the lines, so that the next change
   * draws only the lines.
   */
  #behind: HTMLCanvasElement | null = null;
  #smoothing: ReturnType<typeof setTimeout> | null = null;
  /** The timer that ends a wheel gesture. */
  #wheel: ReturnType<typeof setTimeout> | undefined;
  /** The frame in which the pointer's position is reported; 0 if none is requested. */
  #pointing = 0;

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
   * Size of the plot without axes, in pixels. Measuring the element instead would force a page
   * layout.
   */
  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.#chart.bbox;
    return { width: width / devicePixelRatio, height: height / devicePixelRatio };
  }

  get content(): PlotContent {
    return this.#content;
  }

  /** The element that covers the plot, used to compute positions on the page. */
  get over(): HTMLElement {
    return this.#chart.over;
  }

  show(content: PlotContent): void {
    if (content.theme !== this.#content.theme) this.#ink = inkOf(this.#root);
    const isSmoothing = differInSmoothing(this.#content, content);
    const isMoved = content.xAxis !== this.#content.xAxis && typeof this.#at === 'function';
    this.#content = content;
    if (isMoved) this.point(null); // its position is invalid on another axis
    this.#redraw(isSmoothing);
    this.#drawHighlight();
    if (this.#at) this.onPoint?.(this.#at); // the position now has a different entry
  }

  #redraw(isSmoothing: boolean): void {
    if (this.#smoothing !== null) clearTimeout(this.#smoothing);
    this.#smoothing = isSmoothing ? setTimeout(() => this.#endSmoothing(), smoothingRestMs) : null;
    if (isSmoothing && this.#behind) this.#drawOn(this.#behind);
    else this.#chart.setData(dataOf(this.#content));
  }

  #endSmoothing(): void {
    this.#smoothing = null;
    if (this.#behind) this.#drawOn(this.#behind);
    this.#behind = null;
  }

  /** Draws the lines on the axes that uPlot has drawn. */
  #draw({ ctx, bbox }: uPlot): void {
    drawBehind(ctx, bbox, this.#content, devicePixelRatio, 'plain');
    this.#behind = this.#smoothing === null ? null : copyOf(ctx.canvas);
    drawAbove(ctx, bbox, this.#content, devicePixelRatio, this.#weight);
    this.#fitOverlay();
  }

  #drawOn(behind: HTMLCanvasElement): void {
    const { ctx, bbox } = this.#chart;
    ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
    ctx.drawImage(behind, 0, 0);
    drawAbove(ctx, bbox, this.#content, devicePixelRatio, this.#weight);
  }

  get #weight(): LineWeight {
    if (this.#smoothing === null) return 'plain';
    return this.#content.lines.reduce((sum, { x }) => sum + x.length, 0) < minDraftEntries ? 'plain' : 'draft';
  }

  resize(width: number, height: number): void {
    if (width === this.#chart.width && height === this.#chart.height) return;
    this.#chart.setSize({ width, height });
  }

  /** Reads at this position until the pointer moves. Null stops reading. */
  point(at: Pointed | null): void {
    this.#at = at;
    this.onPoint?.(at);
  }

  /** Highlights one run and fades the other runs. Null removes the highlight. */
  highlight(run: string | null): void {
    if (run === this.#highlighted) return;
    this.#highlighted = run;
    this.#drawHighlight();
  }

  /** Shows a vertical line across the plot at this position. Null removes the line. */
  crosshair(x: number | null): void {
    const position = x === null ? Number.NaN : this.#content.scales.x.position(x);
    const inside = position >= 0 && position <= 1;
    this.#crosshair.classList.toggle('on', inside);
    if (inside) this.#crosshair.style.transform = `translateX(${Math.round(position * this.size.width)}px)`;
  }

  /** Shows a dot on the line being read. Null removes the dot. */
  mark(at: { readonly left: number; readonly top: number; readonly color: string } | null): void {
    const { width, height } = this.size;
    this.#dot.classList.toggle('on', at !== null && at.top >= 0 && at.top <= height && at.left >= 0 && at.left <= width);
    if (!at) return;
    this.#dot.style.transform = `translate(${at.left}px, ${at.top}px)`;
    this.#dot.style.background = at.color;
  }

  /** The current picture, for saving it as a file. */
  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  destroy(): void {
    if (this.#smoothing !== null) clearTimeout(this.#smoothing);
    clearTimeout(this.#wheel);
    cancelAnimationFrame(this.#pointing);
    this.#chart.destroy();
  }

  #options(): uPlot.Options {
    const { width, height } = this.#root.getBoundingClientRect();
    const scales = (): ChartScales => this.#content.scales;
    const font = '11px "Inter Variable", system-ui, sans-serif';
    const stroke = (): string => this.#ink.label;
    // uPlot draws no axis without an increment, and knows none above 5e16; our ticks need none.
    const incrs = (_chart: uPlot, _axis: number, min: number, max: number): number[] => [max - min];
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
        bind: {
          dblclick: () => () => (this.events.reset(), null),
          // Dragging with Shift moves the axis instead
          mousedown: (_chart, _target, handler) => (event) => (event.shiftKey ? null : handler(event)),
        },
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
          incrs,
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
          incrs,
          splits: () => valueTicks(scales().y, this.#max()).map(({ value }) => value),
          values: () => valueTicks(scales().y, this.#max()).map(({ label }) => label),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(chart) => this.#draw(chart)],
        setSelect: [(chart) => this.#select(chart)],
        setSize: [() => this.#fitOverlay()],
      },
    };
  }

  #xTicks() {
    const { scales, xAxis } = this.#content;
    const left = leftInset(valueTicks(scales.y, this.#max()).map(({ label }) => label));
    const room = { wide: this.#chart.width - left - plotInsets.right, left, right: plotInsets.right };
    return xTicks(xAxis, scales.x, this.#chart.width > 700 ? 9 : 5, localOffset, room);
  }

  /** Labels are at least 30 pixels apart. */
  #max(): number {
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
    if ((across && width < minBox) || (along && height < minBox)) return;
    if (across || along) this.events.zoom(across, along);
  }

  #listen(): void {
    const point = (at: Place | null): void => {
      if (this.#pinching || this.hold) return;
      this.#at = at;
      this.#pointing ||= requestAnimationFrame(() => {
        this.#pointing = 0;
        if (!this.hold) this.onPoint?.(this.#at);
      });
    };
    const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
      const box = this.#chart.over.getBoundingClientRect();
      return { left: clientX - box.left, top: clientY - box.top };
    };
    const move = (event: PointerEvent): void => point(placeOf(event));
    const { over } = this.#chart;
    let pressed: Place | null = null;
    over.addEventListener('pointermove', move);
    over.addEventListener('pointerdown', (event) => {
      pressed = event.pointerType === 'mouse' && event.button === 0 && !event.shiftKey ? placeOf(event) : null;
      move(event);
    });
    over.addEventListener('pointerup', (event) => {
      const at = placeOf(event);
      if (pressed && Math.hypot(at.left - pressed.left, at.top - pressed.top) < minBox) this.onClick?.(at);
      pressed = null;
    });
    over.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && point(null));
    this.#followWheel(over);
    this.#followPan(over);
    followPinch(over, { move: (pinch) => this.#pinch(pinch), end: (pinch) => this.#endPinch(pinch) });
  }

  /**
   * The wheel zooms the x axis with Ctrl, ⌘ or Alt. So does a touchpad pinch, which browsers report
   * as a wheel event with Ctrl. A horizontal wheel moves a zoomed axis. Otherwise, the page
   * scrolls.
   */
  #followWheel(over: HTMLElement): void {
    let whole: Extent | null = null;
    over.addEventListener(
      'wheel',
      (event) => {
        const { across, along } = wheelPixels(event);
        const isZoom = event.ctrlKey || event.metaKey || event.altKey;
        if (!isZoom && Math.abs(across) <= Math.abs(along)) return;
        whole ??= this.events.whole();
        if (!whole) return;
        const { x } = this.#content.scales;
        const { width } = this.size;
        const share = (event.clientX - over.getBoundingClientRect().left) / width;
        const next = isZoom ? wheelRange(x, whole, share, along || across) : pannedRange(x, whole, across / width);
        if (next === null && this.#moved === null) return; // leaves the swipe to the browser, which goes back in the history
        if (event.cancelable) event.preventDefault();
        if (next) this.#preview(next, whole);
        clearTimeout(this.#wheel);
        this.#wheel = setTimeout(() => {
          whole = null;
          this.#commit();
        }, wheelRestMs);
      },
      { passive: false },
    );
  }

  /** Dragging with Shift moves a zoomed x axis. */
  #followPan(over: HTMLElement): void {
    over.addEventListener('mousedown', (event) => {
      if (event.shiftKey) event.preventDefault(); // dragging would select text
    });
    let from: { readonly left: number; readonly scale: Scale; readonly whole: Extent } | null = null;
    over.addEventListener('pointerdown', (event) => {
      if (!event.shiftKey || event.button !== 0 || event.pointerType === 'touch') return;
      const whole = this.events.whole();
      if (!whole) return;
      from = { left: event.clientX, scale: this.#content.scales.x, whole };
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener('pointermove', ({ clientX }) => {
      if (!from) return;
      const next = pannedRange(from.scale, from.whole, (from.left - clientX) / this.size.width);
      if (next || this.#moved) this.#preview(next ?? from.scale, from.whole);
    });
    for (const type of ['pointerup', 'pointercancel'] as const)
      over.addEventListener(type, () => {
        if (from) this.#commit();
        from = null;
      });
  }

  /** Shows another part of the x axis, in this chart only. */
  #preview(range: Extent | 'all', whole: Extent): void {
    this.#moved = range;
    const { min, max } = range === 'all' ? whole : range;
    const { x } = this.#content.scales;
    const low = x.forward(min);
    const span = x.forward(max) - low;
    const moved: Scale = { ...x, min, max, position: (value) => (x.forward(value) - low) / span };
    this.show({ ...this.#content, scales: { ...this.#content.scales, x: moved } });
  }

  /** Shows the same part of the x axis in all charts. */
  #commit(): void {
    const moved = this.#moved;
    this.#moved = null;
    if (moved === 'all') this.events.reset();
    else if (moved) this.events.zoom(moved, null);
  }

  /** Shows the pinched part as a box until the gesture ends. */
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
    // Fades the other lines, but not the axes
    context.globalAlpha = this.#content.lines.length > 1 ? 0.6 : 0;
    context.fillStyle = this.#ink.ground;
    context.fillRect(0, 0, width, height);
    context.globalAlpha = 1;
    drawLines(context, { left: 0, top: 0, width, height }, { ...this.#content, lines, ghosts: [] }, devicePixelRatio, 'strong');
  }
}

/**
 * uPlot needs points to draw anything. We draw our own, so two points that span the axes are
 * enough.
 */
function dataOf({ scales: { x, y } }: PlotContent): [number[], number[]] {
  return [
    [x.min, x.max],
    [y.min, y.max],
  ];
}

function copyOf(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext('2d')!.drawImage(canvas, 0, 0);
  return copy;
}

function part(scale: ChartScales['x'], from: number, to: number): Extent {
  const low = scale.forward(scale.min);
  const span = scale.forward(scale.max) - low;
  return { min: scale.inverse(low + Math.max(0, from) * span), max: scale.inverse(low + Math.min(1, to) * span) };
}

/** Colors from the page's style sheet, for a canvas. */
function inkOf(root: HTMLElement): Ink {
  const style = getComputedStyle(root);
  return { label: style.getPropertyValue('--dim'), grid: style.getPropertyValue('--grid'), ground: style.getPropertyValue('--ground') };
}

/** Seconds by which local time is ahead of UTC at that time. */
export function localOffset(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 0 : -date.getTimezoneOffset() * 60;
}
