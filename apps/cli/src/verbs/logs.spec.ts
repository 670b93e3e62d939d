import { expect, it } from 'vitest';
import { shownLine } from './logs.ts';

it('shows a line of a log without anything that a terminal would obey, but colors', () => {
  const line = '\u001b[1;31mred\u001b[0m\u001b[2J\u001b]52;c;aGk=\u0007\u001b]0;title\u001b\\\u009b31m\u202eend\t.';
  expect(shownLine(line, false)).toBe('red31mend\t.');
  expect(shownLine(line, true)).toBe('\u001b[1;31mred\u001b[0m31mend\t.\u001b[0m');
});
