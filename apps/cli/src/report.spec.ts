import { describe, expect, it } from 'vitest';
import { formatBytes, printable, Report } from './report.ts';

describe('Report', () => {
  it('shows names without letting them steer the terminal', () => {
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

  it('pads columns, numbers to the right', () => {
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
