import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it('escapes invisible characters, and leaves the others alone', () => {
  expect(visibleText('loss/é 漢字 👍')).toBe('loss/é 漢字 👍');
  expect(visibleText('a\u202eb\u0000c')).toBe('a[U+202E]b[U+0000]c');
  expect(visibleText('\ud800')).toBe('\ufffd');
});
