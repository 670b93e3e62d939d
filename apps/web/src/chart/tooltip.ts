import {
  elideNames,
  formatColumn,
  formatCount,
  formatDuration,
  formatExact,
  formatValue,
  notFiniteAt,
  type TooltipSort,
  visibleText,
  type XAxis,
  xTagOf,
} from '#charts';
import { runText } from '../compare/compared-run.ts';
import { notFiniteText } from './not-finite-text.ts';
import { type Reading, tableRows } from './readout.ts';

/** Maximum rows in a tooltip. */
const maxRows = 8;
/** Maximum characters per name. */
const nameLength = 30;
/** Maximum characters per name in the line under the chart on narrow screens (tooltip.css). */
const nameLengthNarrow = 20;
const narrow = 700;

/** The content of a tooltip. */
export interface TooltipContent {
  /** Nearest first. */
  readonly readings: readonly Reading[];
  readonly colorOf: (run: string) => string;
  readonly xAxis: XAxis;
  readonly sort: TooltipSort;
}

type Cells = readonly [
  run: HTMLTableCellElement,
  smoothed: HTMLTableCellElement,
  value: HTMLTableCellElement,
  step: HTMLTableCellElement,
  time: HTMLTableCellElement,
];

/** What clicks in a locked tooltip do. */
export interface TooltipEvents {
  /** Called when a row is clicked. */
  onPick(reading: Reading): void;
  /** Called when a row's button is clicked: opens the run's page. */
  onOpen(reading: Reading): void;
}

/** Names of the columns after the color column. */
const columns = ['Run', 'Smoothed', 'Value', 'Step', 'Time'] as const;

/**
 * The small table beside the pointer, or under the chart if there is no pointer. It does not use
 * React, because it changes with every pointer move. All of its content is text, never markup.
 */
export class Tooltip {
  readonly element = document.createElement('div');
  readonly #head = document.createElement('div');
  readonly #table = document.createElement('table');
  readonly #rows: {
    readonly row: HTMLTableRowElement;
    readonly swatch: HTMLElement;
    readonly cells: Cells;
    readonly open: HTMLButtonElement;
  }[] = [];
  readonly #note = document.createElement('div');
  readonly #keys = document.createElement('div');
  #shown: readonly Reading[] = [];

  constructor({ onPick, onOpen }: TooltipEvents) {
    this.element.className = 'tooltip';
    this.element.setAttribute('role', 'status');
    this.speak(false);
    this.#head.className = 'tooltip-head';
    this.#note.className = 'tooltip-note';
    this.#keys.className = 'tooltip-keys';
    this.#keys.textContent = 'Click a run to show only that run. Esc unlocks.';
    const names = this.#table.createTHead().insertRow();
    names.ariaHidden = 'true'; // the line above it shows step and time
    names.insertCell();
    for (const name of columns) names.insertCell().textContent = name;
    const body = this.#table.createTBody();
    for (let i = 0; i < maxRows; i++) {
      const row = body.insertRow();
      const swatch = document.createElement('i');
      row.insertCell().append(swatch);
      const cells: Cells = [row.insertCell(), row.insertCell(), row.insertCell(), row.insertCell(), row.insertCell()];
      const open = document.createElement('button');
      open.type = 'button';
      open.textContent = '↗';
      row.insertCell().append(open);
      this.#rows.push({ row, swatch, cells, open });
    }
    this.#table.addEventListener('click', ({ target }) => {
      const at = this.#rows.findIndex(({ row }) => row.contains(target as Node));
      const picked = this.#shown[at];
      if (picked) (this.#rows[at]!.open === target ? onOpen : onPick)(picked);
    });
    this.element.append(this.#head, this.#table, this.#note, this.#keys);
  }

  /** Whether the tooltip stays in place so that the pointer can reach it. */
  lock(on: boolean): void {
    this.element.classList.toggle('locked', on);
  }

  /**
   * Whether screen readers announce changes: they announce changes by keys, but not by pointer
   * moves.
   */
  speak(on: boolean): void {
    this.element.setAttribute('aria-live', on ? 'polite' : 'off');
  }

  show({ readings, colorOf, xAxis, sort }: TooltipContent): void {
    const [nearest] = readings;
    this.element.classList.toggle('on', nearest !== undefined);
    if (!nearest) return;
    this.#table.classList.toggle(
      'smoothed',
      readings.some(({ line }) => line.smoothed !== null),
    );
    this.element.classList.toggle('by-tag', xTagOf(xAxis) !== null);
    write(this.#head, headOf(nearest, xAxis));
    const rows = tableRows(readings, sort, maxRows);
    this.#shown = rows;
    const names = elideNames(
      readings.map(({ line }) => runText(line.run)),
      innerWidth <= narrow ? nameLengthNarrow : nameLength,
    );
    const smoothedValues = formatColumn(rows.map(({ line, index }) => (line.smoothed ?? line.y)[index]!));
    const loggedValues = formatColumn(rows.map(({ line, index }) => line.y[index]!));
    this.#rows.forEach(({ row, swatch, cells, open }, i) => {
      const reading = rows[i];
      row.hidden = reading === undefined;
      row.classList.toggle('nearest', reading === nearest);
      row.ariaHidden = String(reading !== nearest); // eight rows are too many to announce on each key press, and the others are one key away
      if (!reading) return;
      const { line } = reading;
      swatch.style.background = colorOf(line.run);
      const [run, smoothed, value, step, time] = cells;
      write(run, line.run === '' ? '(no group)' : names.get(runText(line.run))!);
      write(smoothed, line.smoothed ? smoothedValues[i]! : '');
      write(value, loggedValues[i]!);
      write(step, stepText(reading));
      write(time, timeText(reading, xAxis));
      open.hidden = line.members > 1;
      open.tabIndex = reading === nearest ? 0 : -1;
      open.title = `Open run ${runText(line.series.run)}`;
      open.ariaLabel = open.title;
    });
    write(this.#note, noteOf(nearest, readings.length));
  }

  hide(): void {
    this.element.classList.remove('on');
  }
}

/** Leaves unchanged text alone; otherwise it would be announced again when data arrives. */
function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The position of the nearest point. */
function headOf(reading: Reading, xAxis: XAxis): string {
  const tag = xTagOf(xAxis);
  if (tag !== null) return `${visibleText(tag)} ${formatExact(reading.line.x[reading.index]!)} · step ${stepText(reading)}`;
  const [step, time] = [`step ${stepText(reading)}`, timeText(reading, xAxis)];
  return xAxis === 'wall' ? `${time} · ${step}` : `${step} · ${time}`;
}

/**
 * The time of a point: the time of day on the `wall` axis, otherwise the time since the first point
 * of its series.
 */
function timeText({ line, index }: Reading, xAxis: XAxis): string {
  const at = line.series.wallTime[index]!;
  return xAxis === 'wall' ? momentText(at) : formatDuration(xAxis === 'relative' ? line.x[index]! : at - line.origin);
}

function stepText({ line, index }: Pick<Reading, 'line' | 'index'>): string {
  return formatCount(line.series.exactStep?.[index] ?? line.series.step[index]!);
}

/** The full value of a point that the table shows in a shorter form. */
function exactNote(value: number): string {
  const full = formatExact(value);
  const numberOf = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));
  return Object.is(numberOf(formatColumn([value])[0]!), numberOf(full)) ? '' : `exactly ${full}`;
}

/**
 * The points that the nearest entry represents, if there are several, and the values that the table
 * omits.
 */
function noteOf(reading: Reading, readings: number): string {
  const more = readings > maxRows ? `and ${readings - maxRows} more` : '';
  return [entryNote(reading), more].filter((text) => text !== '').join(' · ');
}

/**
 * The points that an entry represents: their values, including infinities, and how many are not
 * finite. Empty if the table shows the point in full.
 */
export function entryNote({ line, index }: Pick<Reading, 'line' | 'index'>): string {
  const { series, band, members } = line;
  const count = series.count[index]!;
  const notFinite = notFiniteText(notFiniteAt(series, index), formatCount);
  const join = (...texts: string[]): string => texts.filter((text) => text !== '').join(', ');
  if (members > 1) {
    const values = count > 0 ? `${formatValue(band.low[index]!)} to ${formatValue(band.high[index]!)}` : '';
    return join(`mean of ${formatCount(count)} ${count === 1 ? 'run' : 'runs'}`, values, notFinite);
  }
  if (count <= 1) return exactNote(series.value[index]!);
  const [low, high] = [series.low[index]!, series.high[index]!];
  const values = Number.isNaN(low) ? '' : `${formatExact(low)} to ${formatExact(high)}`;
  const steps = `${formatCount(count)} points in steps ${formatCount(series.firstStep[index]!)}–${formatCount(series.step[index]!)}`;
  return values === '' && notFinite === '' ? steps : `${steps}: ${join(values, notFinite)}`;
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the page's time zone. */
export function momentText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '–' : moment.format(date);
}
