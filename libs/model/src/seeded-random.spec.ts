import { expect, test } from 'vitest';
import { seededRandom } from './seeded-random.ts';

/*
 * The seed that a failing run prints must reproduce its numbers everywhere and at any time. These
 * values come from another implementation of mulberry32.
 */

test.each([
  [1, [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
  [4711, [0.3630195134319365, 0.7252635709010065, 0.06235719472169876]],
  [-1, [0.8964226141106337, 0.189478256739676, 0.7156526781618595]],
])('seed %i always gives the same numbers', (seed, expected) => {
  const random = seededRandom(seed);
  expect([random(), random(), random()]).toEqual(expected);
});
