import fc from 'fast-check';
import { expect, it } from 'vitest';
import { looksLikeToken, newToken } from './token.ts';

it('makes tokens of the documented form, never the same twice', () => {
  const tokens = Array.from({ length: 1000 }, newToken);
  expect(new Set(tokens).size).toBe(1000);
  for (const token of tokens) {
    expect(token).toMatch(/^plt_[0-9A-Za-z]{36}$/);
    expect(looksLikeToken(token)).toBe(true);
  }
});

it('rejects a token with any one character changed', () => {
  const token = newToken();
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: token.length - 1 }),
      fc.constantFrom('0', 'A', 'z', '9', '_', '-', 'é', '\n', ' '),
      (at, character) => {
        fc.pre(token[at] !== character);
        expect(looksLikeToken(token.slice(0, at) + character + token.slice(at + 1))).toBe(false);
      },
    ),
  );
});

it('rejects text that only resembles a token', () => {
  const token = newToken();
  for (const text of [
    '',
    'plt_',
    token.slice(1),
    `${token} `,
    ` ${token}`,
    token.slice(0, -1),
    `${token}0`,
    token.toUpperCase(),
    `${token}\n`,
  ]) {
    expect(looksLikeToken(text)).toBe(false);
  }
});
