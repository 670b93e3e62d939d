import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ansiParts } from './ansi.ts';

const text = (line: string): string =>
  ansiParts(line)
    .map((part) => part.text)
    .join('');

it('colors what a terminal would color, and ends it where it does', () => {
  expect(ansiParts('a \u001b[1;31mred\u001b[0m b')).toEqual([
    { text: 'a ', className: '' },
    { text: 'red', className: 'ansi-red ansi-bold' },
    { text: ' b', className: '' },
  ]);
  expect(ansiParts('\u001b[38;5;2mgreen\u001b[39;4mline')).toEqual([
    { text: 'green', className: 'ansi-green' },
    { text: 'line', className: 'ansi-underlined' },
  ]);
  expect(ansiParts('\u001b[38;2;1;31;4mx')).toEqual([{ text: 'x', className: '' }]);
});

it('leaves out sequences that would move the cursor, set titles or write to the clipboard', () => {
  expect(text('a\u001b[2K\u001b[10Ab\u001b]0;title\u0007c\u001b]52;c;aGk=\u001b\\d')).toBe('abcd');
});

it('shows no invisible character of any line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (line) => {
      // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
      expect(text(line)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
  expect(text('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
});
