import { expect, it } from 'vitest';
import { ownParts } from './own-parts.ts';

it.each([
  [
    ['layers.0/up/norm', 'layers.1/up/norm', 'layers.10/down/norm'],
    ['0/up', '1/up', '10/down'],
  ],
  [
    ['loss', 'accuracy'],
    ['loss', 'accuracy'],
  ],
  [
    ['a/b', 'a/b/c'],
    ['b', 'b/c'],
  ],
  [
    ['a/norm', 'a/x/norm', 'a/y/norm'],
    ['norm', 'x/norm', 'y/norm'],
  ],
  [['a/b'], ['a/b']],
  [
    ['x.w', 'x.w.'],
    ['w', 'w.'],
  ],
  [[], []],
])('leaves out what all names share: %j', (names, own) => {
  expect(ownParts(names)).toEqual(own);
});
