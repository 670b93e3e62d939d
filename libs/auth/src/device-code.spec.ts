import { expect, it } from 'vitest';
import { newUserCode, readUserCode, showUserCode } from './device-code.ts';

it('is parsed in every spelling', () => {
  for (let i = 0; i < 100; i++) {
    const code = newUserCode();
    const shown = showUserCode(code);
    expect(shown).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const typed of [shown, code, shown.toLowerCase(), ` ${shown.replace('-', ' ')} `, code.split('').join('.')])
      expect(readUserCode(typed)).toBe(code);
  }
});

it.each(['', 'BCDF', 'BCDF-GHJKL', 'AEIO-UUUU', '0000-0000', 'BCDFGHJ\u212a', 'B'.repeat(10_000)])('does not accept %j', (typed) => {
  expect(readUserCode(typed)).toBeNull();
});
