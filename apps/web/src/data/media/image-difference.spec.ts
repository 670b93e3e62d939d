import { expect, it } from 'vitest';
import { differenceOf } from './image-difference.ts';

const rgba = (...values: number[]) => new Uint8ClampedArray(values);

it('computes the difference of each channel, and draws the largest one in full', () => {
  const difference = differenceOf(rgba(10, 20, 30, 255, 0, 0, 0, 255, 9, 9, 9, 255), rgba(60, 20, 20, 255, 0, 0, 0, 255, 9, 9, 4, 255));
  expect([...difference.rgba]).toEqual([255, 0, 51, 255, 0, 0, 0, 255, 0, 0, 26, 255]);
  expect(difference).toMatchObject({ pixels: 2, largest: 50, mean: (50 + 10 + 5) / 9 });
});

it('counts a difference in opacity in every channel', () => {
  expect(differenceOf(rgba(5, 5, 5, 255), rgba(5, 5, 105, 215))).toMatchObject({ pixels: 1, largest: 100, mean: (40 + 40 + 100) / 3 });
});

it('is black for equal and for empty images', () => {
  const same = rgba(1, 2, 3, 4, 5, 6, 7, 8);
  expect(differenceOf(same, same)).toEqual({ rgba: rgba(0, 0, 0, 255, 0, 0, 0, 255), pixels: 0, mean: 0, largest: 0 });
  expect(differenceOf(rgba(), rgba())).toMatchObject({ pixels: 0, mean: 0, largest: 0 });
});
