import type { TextSink } from './host.ts';

/**
 * The output of a command: with `--json` one document on stdout and everything else on stderr;
 * otherwise results on stdout.
 */
export class Report {
  readonly json: boolean;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly #more: object;
  #statusLine = '';

  /** `more`: further fields of the document. */
  constructor(json: boolean, stdout: TextSink, stderr: TextSink, more: object = {}) {
    this.json = json;
    this.#more = more;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** The same output, but the document has further fields. */
  with(more: object): Report {
    return new Report(this.json, this.stdout, this.stderr, { ...this.#more, ...more });
  }

  /** The command's single document (only with `--json`). */
  document(value: unknown): void {
    // JSON has these characters only in strings, where this escape is valid.
    if (this.json) this.stdout.write(`${printable(JSON.stringify(this.#extended(value)))}\n`);
  }

  #extended(value: unknown): unknown {
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(this.#more).length > 0 ? { ...value, ...this.#more } : value;
  }

  /**
   * Prints a line of the result to stdout; prints nothing with `--json`, because the document
   * contains everything.
   */
  result(line: string): void {
    this.clearStatus();
    if (!this.json) this.stdout.write(`${printable(line)}\n`);
  }

  /** A message on stderr. */
  say(line: string): void {
    this.clearStatus();
    this.stderr.write(`${printable(line)}\n`);
  }

  /** Replaces the status line at the bottom of a terminal; does nothing elsewhere. */
  status(line: string): void {
    if (!this.stderr.isTTY) return;
    const shown = printable(line).slice(0, Math.max(20, (this.stderr.columns ?? 80) - 1));
    if (shown === this.#statusLine) return;
    this.#statusLine = shown;
    this.stderr.write(`\r\u001b[2K${shown}`);
  }

  clearStatus(): void {
    if (this.#statusLine === '') return;
    this.#statusLine = '';
    this.stderr.write('\r\u001b[2K');
  }

  /**
   * Prints columns padded to their widest cell. Empty cells are shown as a dash, and numbers
   * (`number` or `bigint`) are right-aligned. On a terminal, rows are truncated to its width in the
   * middle of the longest cells, because names differ at their ends.
   */
  table(head: readonly string[], rows: readonly (readonly (string | number | bigint | null)[])[]): void {
    if (this.json) return;
    const text = rows.map((row) => row.map((cell) => printable(cell === null || cell === '' ? '–' : String(cell))));
    const right = head.map((_, c) => rows.some((row) => typeof row[c] === 'number' || typeof row[c] === 'bigint'));
    const widths = head.map((title, c) => Math.max(title.length, ...text.map((row) => row[c]?.length ?? 0)));
    if (this.stdout.isTTY && this.stdout.columns) narrow(widths, right, this.stdout.columns);
    for (const row of [head, ...text]) {
      const line = row.map((cell, c) => {
        const shown = elided(cell, widths[c] ?? 0);
        return right[c] ? shown.padStart(widths[c] ?? 0) : shown.padEnd(widths[c] ?? 0);
      });
      this.result(line.join('  ').trimEnd());
    }
  }
}

/** Minimum width of text columns, even if a terminal is too narrow for a table. */
const minCellWidth = 8;

/** Narrows the widest columns of text until a row fits into `columns`. */
function narrow(widths: number[], right: readonly boolean[], columns: number): void {
  const rowWidth = (): number => widths.reduce((sum, width) => sum + width, 0) + 2 * (widths.length - 1);
  for (let over = rowWidth() - columns; over > 0; over--) {
    const widest = Math.max(minCellWidth, ...widths.filter((_, c) => !right[c]));
    const column = widths.findIndex((width, c) => !right[c] && width === widest);
    if (widest === minCellWidth || column < 0) return;
    widths[column] = widest - 1;
  }
}

/** Truncates a string in the middle to `width` characters. */
function elided(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.ceil((width - 1) / 2);
  // Does not split a surrogate pair.
  const start = text.slice(0, width - 1 - end).replace(/[\ud800-\udbff]$/, '');
  return `${start}…${text.slice(text.length - end).replace(/^[\udc00-\udfff]/, '')}`;
}

/**
 * Names come from files and from other people: control characters would move the cursor or recolor
 * the terminal, so they are shown escaped.
 */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bytes for display: `0 B`, `1.5 KiB`, `120 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The counts that are not 0, as words. If all are 0, the first count. */
export function counted(...counts: readonly (readonly [count: number, noun: string])[]): string[] {
  const some = counts.filter(([count]) => count > 0);
  return (some.length > 0 ? some : counts.slice(0, 1)).map(([count, noun]) => plural(count, noun));
}
