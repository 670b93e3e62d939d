import type { TooltipSort } from '#charts';
import type { Store } from '../app/store.ts';
import { type Hover, nowhere } from '../experiment/experiment-context.ts';
import { colorOf } from './draw-lines.ts';
import type { Plot, Pointed } from './plot.ts';
import { type Reading, readLines } from './readout.ts';
import { Tooltip } from './tooltip.ts';

/** Maximum distance of a line from the pointer to be highlighted, in pixels. */
const nearPixels = 40;
/** Between the pointer and the tooltip. */
const gap = 16;

/**
 * Reads a plot at the pointer, and shows the pointer's position in other charts: a crosshair at the
 * same position, the same run highlighted. `below`: an element for the reading if there is no space
 * beside the pointer; null: beside it. `sort`: the order of its rows.
 */
export class PointerReader {
  readonly #plot: Plot;
  readonly #hover: Store<Hover>;
  readonly #sort: () => TooltipSort;
  readonly #tooltip = new Tooltip();
  readonly #beside: boolean;
  readonly #unsubscribe: () => void;
  #over = false;
  /** The last reading, from which a key continues. */
  last: Reading | null = null;
  /** Whether keys control the reading, not the pointer. */
  byKey = false;

  constructor(plot: Plot, hover: Store<Hover>, below: HTMLElement | null, sort: () => TooltipSort) {
    this.#plot = plot;
    this.#hover = hover;
    this.#sort = sort;
    this.#beside = below === null;
    // In a dialog, elements outside of it are behind it
    (below ?? plot.over.closest('dialog') ?? document.body).append(this.#tooltip.element);
    this.#tooltip.element.classList.toggle('beside', this.#beside);
    this.#unsubscribe = hover.subscribe(() => this.#answer());
    plot.onPoint = (at) => this.#point(at);
    this.#answer();
  }

  close(): void {
    this.#unsubscribe();
    this.#plot.onPoint = null;
    this.#tooltip.element.remove();
    if (this.#over) this.#hover.set(nowhere);
  }

  /** Whether readings are announced. */
  speak(on: boolean): void {
    this.#tooltip.speak(on);
  }

  #point(at: Pointed | null): void {
    this.byKey = typeof at === 'function';
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

  #answer(): void {
    const { run, x } = this.#hover.value;
    this.#plot.highlight(run);
    this.#plot.crosshair(x);
  }

  /** Beside the position, on the side with enough space. */
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
