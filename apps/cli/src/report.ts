import type { TextSink } from './host.ts';

/** What a command says: with `--json` one document on stdout and everything else on stderr; otherwise results on stdout. */
export class Report {
  readonly json: boolean;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  #statusLine = '';

  constructor(json: boolean, stdout: TextSink, stderr: TextSink) {
    this.json = json;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** The command's one document (only with `--json`). */
  document(value: unknown): void {
    if (this.json) this.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A line of the result for a person: stdout, or nothing when the document says it all. */
  result(line: string): void {
    this.clearStatus();
    if (!this.json) this.stdout.write(`${printable(line)}\n`);
  }

  /** A remark on stderr. */
  say(line: string): void {
    this.clearStatus();
    this.stderr.write(`${printable(line)}\n`);
  }

  /** Replaces the status line at the bottom of a terminal; says nothing elsewhere. */
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

  /** Columns padded to their widest cell; numbers (as `number` or `bigint`) to the right. */
  table(head: readonly string[], rows: readonly (readonly (string | number | bigint | null)[])[]): void {
    if (this.json) return;
    const text = rows.map((row) => row.map((cell) => printable(cell === null ? '–' : String(cell))));
    const widths = head.map((title, c) => Math.max(title.length, ...text.map((row) => row[c]?.length ?? 0)));
    const right = head.map((_, c) => rows.some((row) => typeof row[c] === 'number' || typeof row[c] === 'bigint'));
    for (const row of [head, ...text]) {
      const line = row.map((cell, c) => (right[c] ? cell.padStart(widths[c] ?? 0) : cell.padEnd(widths[c] ?? 0))).join('  ');
      this.result(line.trimEnd());
    }
  }
}

/** Names come from files and from other people: control characters would move the cursor or recolour the terminal, so they are shown escaped. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bytes for a person: `0 B`, `1.5 KiB`, `120 MiB`. */
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
