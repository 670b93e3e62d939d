import { describe, expect, it } from 'vitest';
import { formatBytes, printable, Report } from './report.ts';

describe('Report', () => {
  it('escapes names, so that they cannot control the terminal', () => {
    expect(printable('a\u001b[31mb\r\nc\u202ed')).toBe('a\\u001b[31mb\\u000d\\u000ac\\u202ed');
    expect(printable('näive – 跑')).toBe('näive – 跑');
  });

  it('prints one document and nothing else on stdout with --json', () => {
    let [stdout, stderr] = ['', ''];
    const report = new Report(true, { write: (text) => (stdout += text) }, { write: (text) => (stderr += text) });
    report.result('for people');
    report.table(['A'], [['x']]);
    report.say('remark');
    report.document({ a: 1 });
    expect(stdout).toBe('{"a":1}\n');
    expect(stderr).toBe('remark\n');
  });

  it('escapes names in a document, which parses to the same', () => {
    let stdout = '';
    const report = new Report(true, { write: (text) => (stdout += text) }, { write: () => undefined });
    const name = 'a\u001b[31m\u007f\u009b31m\u061c\u200f\u2028\u202e\u2066"\\\u202e" ü 跑 😀';
    report.document({ [name]: [name] });
    expect(JSON.parse(stdout)).toEqual({ [name]: [name] });
    expect(stdout.slice(0, -1)).toMatch(/^[^\p{Cc}\p{Bidi_C}\u2028\u2029]*$/u);
    expect(stdout).toContain('ü 跑 😀');
  });

  it('shows empty cells of a table as dashes', () => {
    let stdout = '';
    new Report(false, { write: (text) => (stdout += text) }, { write: () => undefined }).table(['ID', 'NAME', 'RUNS'], [['a', '', 2]]);
    expect(stdout).toBe('ID  NAME  RUNS\na   –        2\n');
  });

  it('fits tables to the terminal by shortening the middle of long names, and cuts nothing elsewhere', () => {
    const rows = [
      [`train/${'x'.repeat(300)}/seed-1`, 'loss', 5, null],
      [`train/${'x'.repeat(300)}/seed-2`, `metrics/${'y'.repeat(90)}/top1`, 12_345_678, 0.5],
    ];
    const head = ['RUN', 'TAG', 'POINTS', 'LAST'];
    const shownAt = (columns?: number): string[] => {
      let stdout = '';
      const sink = { write: (text: string) => (stdout += text), ...(columns && { isTTY: true, columns }) };
      new Report(false, sink, { write: () => undefined }).table(head, rows);
      return stdout.trimEnd().split('\n');
    };
    for (const columns of [60, 80, 132, 200]) {
      const lines = shownAt(columns);
      expect(Math.max(...lines.map((line) => line.length))).toBe(columns);
      expect(lines[1]).toMatch(/^train\/.*…x*\/seed-1 +loss +5 +–$/);
      expect(lines[2]).toMatch(/^train\/.*…x*\/seed-2 +metrics\/.*…y*\/top1 +12345678 +0\.5$/);
    }
    expect(shownAt()[2]).toContain('x'.repeat(300));
    expect(shownAt(10)[2]).toMatch(/^\S{8} +\S{8} +12345678 +0\.5$/);
  });

  it('pads columns, and right-aligns numbers', () => {
    let stdout = '';
    new Report(false, { write: (text) => (stdout += text) }, { write: () => undefined }).table(
      ['RUN', 'POINTS'],
      [
        ['a', 5],
        ['longer', 1000],
        ['b', null],
      ],
    );
    expect(stdout).toBe('RUN     POINTS\na            5\nlonger    1000\nb            –\n');
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [120 * 1024 * 1024, '120 MiB'],
    [5 * 1024 ** 4, '5.0 TiB'],
  ])('%i is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
