import { countText } from '#charts';
import { Html, html } from '#http';

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** 60,000 */
export function count(value: number): string {
  return digits.format(value);
}

/** Bytes with three digits and an SI prefix; the exact number is in the tooltip. */
export function size(bytes: number): Html {
  return html`<span title="${countText(bytes, 'byte')}">${sizeText(bytes)}</span>`;
}

/** Bytes with three digits and an SI prefix: 4.10 kB. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const shown = bytes / 1000 ** power;
  return `${power === 0 ? bytes : shown.toFixed(shown < 10 ? 2 : shown < 100 ? 1 : 0)} ${units[power]}`;
}

/**
 * A time in UTC: 2026-11-21 10:00. Wall times of logs can be anything; an invalid time is shown as
 * a dash.
 */
export function moment(seconds: number | null): Html {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return html`–`;
  const iso = date.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, -8).replace('T', ' ')}</time>`;
}

/** A duration: 12 s, 4 min 10 s, 2 h 5 min, 3 d 4 h. */
export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return '–';
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  const whole = Math.round(seconds);
  const first = units.findIndex(([, length]) => whole >= length);
  if (first === -1) return '< 1 s';
  const [unit, length] = units[first]!;
  const [nextUnit, nextLength] = units[first + 1] ?? ['', 1];
  const rest = Math.floor((whole % length) / nextLength);
  return `${Math.floor(whole / length)} ${unit}${nextUnit !== '' && rest > 0 ? ` ${rest} ${nextUnit}` : ''}`;
}
