import { InvalidArgumentError } from 'commander';

/** A repeatable flag that accepts only these values. */
export function collectOneOf(words: readonly string[]) {
  const collectWord = (value: string, before: string[] | undefined): string[] => {
    if (!words.includes(value)) throw new InvalidArgumentError(`Use one of ${words.join(', ')}.`);
    return collect(value, before);
  };
  collectors.add(collectWord);
  return collectWord;
}

/** A repeatable flag. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Parsers of repeatable flags. */
export const collectors = new Set<unknown>([collect]);

/** A range of steps; either end may be missing. */
export function steps(value: string): { from?: string; to?: string } {
  const match = /^(-?\d{1,19})?\.\.(-?\d{1,19})?$/.exec(value);
  if (!match || (match[1] === undefined && match[2] === undefined))
    throw new InvalidArgumentError('Use a range like 100..200, 100.. or ..200.');
  return { ...(match[1] !== undefined && { from: match[1] }), ...(match[2] !== undefined && { to: match[2] }) };
}

/** How many days an invitation is valid. */
export function days(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 30) throw new InvalidArgumentError('Use a number from 1 to 30.');
  return Number(value);
}

/** The number of a writer. */
export function writer(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError('Use a whole number, 0 or more.');
  return Number(value);
}

/** The number of points in a curve. */
export function curvePoints(value: string): number {
  if (!/^\d{1,2}$/.test(value) || Number(value) < 4 || Number(value) > 50) throw new InvalidArgumentError('Use a number from 4 to 50.');
  return Number(value);
}

/** A TCP port. */
export function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError('Use a number from 0 (any free port) to 65535.');
  return Number(value);
}

/** An interval in seconds, up to a day. */
export function seconds(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) < 1 || Number(value) > 86_400)
    throw new InvalidArgumentError('Use a number from 1 to 86400.');
  return Number(value);
}

/** The number of lines to print. */
export function lines(value: string): number {
  if (!/^\d{1,6}$/.test(value) || Number(value) < 1) throw new InvalidArgumentError('Use a number from 1 to 999999.');
  return Number(value);
}

/** Days until something expires. */
export function daysOrNever(value: string): number | 'never' {
  if (value === 'never') return value;
  if (!/^\d{1,4}$/.test(value) || Number(value) < 1 || Number(value) > 3_650)
    throw new InvalidArgumentError('Use a number from 1 to 3650, or never.');
  return Number(value);
}

/** The number of connections for an upload; `auto` means as many as speed it up. */
export function connections(value: string): number | 'auto' {
  if (value === 'auto') return value;
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 64)
    throw new InvalidArgumentError('Use a number from 1 to 64, or auto.');
  return Number(value);
}

/** How many of a log's last lines to show; 0 means none. */
export function tailLines(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Use a whole number, 0 or more.');
  return Number(value);
}
