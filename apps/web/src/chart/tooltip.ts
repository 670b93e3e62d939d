import {
  elideNames,
  formatColumn,
  formatCount,
  formatDuration,
  formatExact,
  formatValue,
  notFiniteAt,
  type TooltipSort,
  type XAxis,
} from '#charts';
import { runText } from '../compare/compared-run.ts';
import { notFiniteText } from './not-finite-text.ts';
import { type Reading, tableRows } from './readout.ts';

/** Maximum rows of a tooltip. */
const maxRows = 8;
/** Maximum characters of a name. */
const nameLength = 30;
/** The same for the line under the chart, on narrow screens (tooltip.css). */
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

/**
 * The small table beside the pointer, or under the chart if there is no pointer. Written without
 * React, since it changes with every move. Everything in it is text, never markup.
 */
export class Tooltip {
  readonly element = document.createElement('div');
  readonly #head = document.createElement('div');
  readonly #rows: { readonly row: HTMLTableRowElement; readonly swatch: HTMLElement; readonly cells: readonly HTMLTableCellElement[] }[] =
    [];
  readonly #note = document.createElement('div');

  constructor() {
    this.element.className = 'tooltip';
    this.element.setAttribute('role', 'status');
    this.speak(false);
    this.#head.className = 'tooltip-head';
    this.#note.className = 'tooltip-note';
    const table = document.createElement('table');
    for (let i = 0; i < maxRows; i++) {
      const row = table.insertRow();
      const swatch = document.createElement('i');
      row.insertCell().append(swatch);
      this.#rows.push({ row, swatch, cells: [row.insertCell(), row.insertCell(), row.insertCell(), row.insertCell()] });
    }
    this.element.append(this.#head, table, this.#note);
  }

  /** Whether changes are announced: those by keys, not those of every pointer move. */
  speak(on: boolean): void {
    this.element.setAttribute('aria-live', on ? 'polite' : 'off');
  }

  show({ readings, colorOf, xAxis, sort }: TooltipContent): void {
    const [nearest] = readings;
    this.element.classList.toggle('on', nearest !== undefined);
    if (!nearest) return;
    const smoothed = readings.some(({ line }) => line.smoothed !== null);
    write(this.#head, headOf(nearest, xAxis));
    const rows = tableRows(readings, sort, maxRows);
    const names = elideNames(
      readings.map(({ line }) => runText(line.run)),
      innerWidth <= narrow ? nameLengthNarrow : nameLength,
    );
    const shownValues = formatColumn(rows.map(({ line, index }) => (line.smoothed ?? line.y)[index]!));
    const loggedValues = formatColumn(rows.map(({ line, index }) => line.y[index]!));
    this.#rows.forEach(({ row, swatch, cells }, i) => {
      const reading = rows[i];
      row.hidden = reading === undefined;
      row.classList.toggle('nearest', reading === nearest);
      row.ariaHidden = String(reading !== nearest); // eight rows are too many to announce at each key: the others are one key away
      if (!reading) return;
      const { line } = reading;
      swatch.style.background = colorOf(line.run);
      const [run, shown, logged, step] = cells as [HTMLTableCellElement, HTMLTableCellElement, HTMLTableCellElement, HTMLTableCellElement];
      write(run, line.run === '' ? '(no group)' : names.get(runText(line.run))!);
      write(shown, shownValues[i]!);
      write(logged, smoothed ? loggedValues[i]! : '');
      write(step, stepText(reading) === stepText(nearest) ? '' : stepText(reading));
    });
    write(this.#note, noteOf(nearest, readings.length));
  }

  hide(): void {
    this.element.classList.remove('on');
  }
}

/** Leaves unchanged text alone: otherwise it would be announced again when data arrives. */
function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The position of the nearest point. */
function headOf({ line, index }: Reading, xAxis: XAxis): string {
  const { wallTime } = line.series;
  const passed = formatDuration(wallTime[index]! - line.origin);
  const step = `step ${stepText({ line, index })}`;
  if (xAxis === 'wall') return `${momentText(wallTime[index]!)} · ${step}`;
  return `${step} · ${xAxis === 'relative' ? formatDuration(line.x[index]!) : passed}`;
}

function stepText({ line, index }: Pick<Reading, 'line' | 'index'>): string {
  return formatCount(line.series.exactStep?.[index] ?? line.series.step[index]!);
}

/** The full value of a point that the table shows in short form. */
function exactNote(value: number): string {
  const full = formatExact(value);
  const numberOf = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));
  return Object.is(numberOf(formatColumn([value])[0]!), numberOf(full)) ? '' : `exactly ${full}`;
}

/** What the nearest entry represents, if more than one point; and what is not in the table. */
function noteOf(reading: Reading, readings: number): string {
  const more = readings > maxRows ? `and ${readings - maxRows} more` : '';
  return [entryNote(reading), more].filter((text) => text !== '').join(' · ');
}

/**
 * What an entry represents: the values of its points, infinities included, and how many are not
 * finite. Empty: a point that the table shows in full.
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
