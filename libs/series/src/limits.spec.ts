import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { BoundedText } from './scalar-json.ts';
import { checkCells } from './scalar-request.ts';

const tooLarge = expect.objectContaining({ code: 'answer-too-large' }) as Error;

describe('a response at a limit', () => {
  it('has as many cells as the limit, and not one more', () => {
    const max = limits.maxAnswerCells;
    for (const series of [1, 2, 1_000]) expect(checkCells(series, max / series)).toBeUndefined();
    expect(() => checkCells(1, max + 1)).toThrow(tooLarge);
    expect(() => checkCells(1_000, max / 1_000 + 1)).toThrow(tooLarge);
  });

  it.each([1, 64])('has as many bytes as the limit in %i pieces, and not one more', (pieces) => {
    const text = 'x'.repeat(limits.maxAnswerBytes / pieces);
    const bounded = new BoundedText();
    for (let i = 0; i < pieces; i++) bounded.add(text);
    expect(bounded.finish().reduce((sum, piece) => sum + piece.length, 0)).toBe(limits.maxAnswerBytes);
    bounded.add('x');
    expect(() => bounded.finish()).toThrow(tooLarge);
  });

  it('counts bytes of UTF-8, not characters', () => {
    const bounded = new BoundedText();
    bounded.add('x'.repeat(limits.maxAnswerBytes - 1));
    expect(() => {
      bounded.add('ü');
      bounded.finish();
    }).toThrow(tooLarge);
  });
});
