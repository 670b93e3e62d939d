import type { Scale, TooltipSort } from '#charts';
import type { Store } from '../app/store.ts';
import { type Hover, nowhere } from '../experiment/experiment-context.ts';
import { colorOf } from './draw-lines.ts';
import type { Place, Plot, Pointed } from './plot.ts';
import { type Reading, readLines } from './readout.ts';
import { Tooltip, type TooltipEvents } from './tooltip.ts';

/** How close to the pointer a line must be to be highlighted, in pixels. */
const nearPixels = 40;
/** Pixels between the pointer and the tooltip. */
const gap = 16;

/** The reader with the locked crosshair: at most one per page. */
const locked = new WeakMap<Store<Hover>, PointerReader>();

/**
 * Reads a plot at the pointer. Other charts show a crosshair at the same position and highlight the
 * same run. `below`: an element that shows the reading if there is no space beside the pointer; if
 * null, the reading is always beside the pointer. `sort`: the order of the rows.
 */
export class PointerReader {
  readonly #plot: Plot;
  readonly #hover: Store<Hover>;
  readonly #sort: () => TooltipSort;
  readonly #tooltip: Tooltip;
  readonly #onPick: (reading: Reading) => void;
  readonly #beside: boolean;
  readonly #unsubscribe: () => void;
  #over = false;
  /** The last reading; keys continue from it. */
  last: Reading | null = null;
  /** Whether keys control the reading instead of the pointer. */
  byKey = false;
  /**
   * The position of the locked crosshair on the x axis; null if the crosshair follows the pointer.
   */
  #lockedAt: number | null = null;

  constructor(
    plot: Plot,
    hover: Store<Hover>,
    below: HTMLElement | null,
    { sort, ...events }: TooltipEvents & { readonly sort: () => TooltipSort },
  ) {
    this.#tooltip = new Tooltip(events);
    this.#onPick = events.onPick;
    this.#plot = plot;
    this.#hover = hover;
    this.#sort = sort;
    this.#beside = below === null;
    // Elements outside a dialog are behind it, so the tooltip goes inside
    (below ?? plot.over.closest('dialog') ?? document.body).append(this.#tooltip.element);
    this.#tooltip.element.classList.toggle('beside', this.#beside);
    this.#unsubscribe = hover.subscribe(() => this.#respond());
    plot.onPoint = (at) => this.#point(at);
    plot.onClick = (at) => this.#click(at);
    this.#respond();
  }

  close(): void {
    this.#unlock();
    this.#unsubscribe();
    this.#plot.onPoint = null;
    this.#plot.onClick = null;
    this.#tooltip.element.remove();
    if (this.#over) this.#hover.set(nowhere);
  }

  /** Selects the run being read. */
  pick(): void {
    if (this.last) this.#onPick(this.last);
  }

  /** Whether readings are announced. */
  speak(on: boolean): void {
    this.#tooltip.speak(on);
  }

  /** Locks the crosshair here, or unlocks it in whichever chart it is locked. */
  #click(at: Place): void {
    const holder = locked.get(this.#hover);
    if (holder) {
      holder.#unlock();
      this.#plot.point(at);
      return;
    }
    if (!this.#beside) return; // with a finger, it stays in place anyway
    const { scales } = this.#plot.content;
    const x = scales.x.inverse(scales.x.forward(scales.x.min) + (at.left / this.#plot.size.width) * spanOf(scales.x));
    locked.set(this.#hover, this);
    this.#lockedAt = x;
    this.#plot.hold = true;
    document.addEventListener('keydown', this.#onKeyDown, true);
    this.#tooltip.lock(true);
    this.#plot.point(() => {
      const { content, size } = this.#plot;
      return readLines(content.lines, content.scales, { left: content.scales.x.position(x) * size.width, top: at.top, ...size });
    });
  }

  #unlock(): void {
    if (this.#lockedAt === null) return;
    this.#lockedAt = null;
    locked.delete(this.#hover);
    document.removeEventListener('keydown', this.#onKeyDown, true);
    this.#tooltip.lock(false);
    this.#plot.hold = false;
    this.#plot.point(null);
  }

  /** Handles the key before a dialog around the chart can. */
  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.#unlock();
  };

  #point(at: Pointed | null): void {
    const holder = locked.get(this.#hover);
    if (holder && holder !== this && typeof at !== 'function') return;
    if (!at && this.#lockedAt !== null) return this.#unlock(); // its position no longer exists
    this.byKey = typeof at === 'function' && this.#lockedAt === null;
    this.speak(this.byKey);
    if (!at) {
      this.#over = false;
      this.#tooltip.hide();
      this.#plot.mark(null);
      this.#hover.set(nowhere);
      return;
    }
    this.#over = true;
    const { lines, scales, styles, theme, xAxis } = this.#plot.content;
    const readings = typeof at === 'function' ? at() : readLines(lines, scales, { ...at, ...this.#plot.size });
    const [nearest] = readings;
    this.last = nearest ?? this.last;
    const run = nearest && nearest.distance < nearPixels ? nearest.line.run : null;
    const x = nearest ? nearest.line.x[nearest.index]! : null;
    this.#plot.mark(nearest ? { ...nearest, color: colorOf(nearest.line.run, styles, theme) } : null);
    this.#tooltip.show({ readings, colorOf: (name) => colorOf(name, styles, theme), xAxis, sort: this.#sort() });
    if (this.#beside && nearest) this.#place(typeof at === 'function' ? nearest : at);
    if (this.#hover.value.run !== run || this.#hover.value.x !== x) this.#hover.set({ run, x });
  }

  #respond(): void {
    const { run, x } = this.#hover.value;
    // Hovering over a run in the list leaves a locked crosshair in place
    if (x === null && this.#lockedAt !== null && this.last) return this.#hover.set({ run, x: this.last.line.x[this.last.index]! });
    this.#plot.highlight(run);
    this.#plot.crosshair(x);
  }

  /** Places the tooltip beside the position, on the side with enough space. */
  #place(at: { readonly left: number; readonly top: number }): void {
    const box = this.#plot.over.getBoundingClientRect();
    const { element } = this.#tooltip;
    const { offsetWidth: width, offsetHeight: height } = element;
    const x = box.left + at.left;
    const y = box.top + (at.top || 0); // NaN has no height
    const left = x + gap + width <= innerWidth - 8 ? x + gap : Math.max(8, x - gap - width);
    const top = Math.max(8, Math.min(y + gap, innerHeight - height - 8));
    element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}

/** The length of an axis, measured on its linear scale. */
function spanOf({ forward, min, max }: Scale): number {
  return forward(max) - forward(min);
}
