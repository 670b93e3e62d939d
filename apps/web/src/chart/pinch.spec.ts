import { describe, expect, it } from 'vitest';
import { pinchedPart } from './pinch.ts';

const pair = (a: number, b: number, top = 0) =>
  [
    { left: a, top: 0 },
    { left: b, top },
  ] as const;

describe('two fingers', () => {
  it('that move apart select the range that stays under them', () => {
    expect(pinchedPart({ from: pair(100, 200), to: pair(50, 250) }, 300)).toEqual({ left: 75, right: 225 });
    expect(pinchedPart({ from: pair(0, 100), to: pair(0, 300) }, 300)).toEqual({ left: 0, right: 100 });
  });

  it('select at most the whole range', () => {
    expect(pinchedPart({ from: pair(0, 100), to: pair(100, 300) }, 300)).toEqual({ left: 0, right: 100 });
  });

  it('may be above each other', () => {
    expect(pinchedPart({ from: pair(150, 150, 50), to: pair(150, 150, 100) }, 300)).toEqual({ left: 75, right: 225 });
  });

  it('that move together select everything, and small movements nothing', () => {
    expect(pinchedPart({ from: pair(0, 200), to: pair(50, 150) }, 300)).toBe('all');
    expect(pinchedPart({ from: pair(0, 200), to: pair(0, 205) }, 300)).toBeNull();
    expect(pinchedPart({ from: pair(10, 12), to: pair(10, 20) }, 300)).toBeNull();
  });
});
