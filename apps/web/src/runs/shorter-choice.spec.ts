import { expect, it } from 'vitest';
import { isShown, plainView } from '#charts';
import { shorterChoice } from './shorter-choice.ts';

const runs = Array.from({ length: 1000 }, (_, i) => `sweep/trial ${i}`);
const hide = (count: number) => ({ onlyRuns: null, hiddenRuns: runs.slice(0, count) });

it('encodes the shown runs of many by the shorter list, with the same result', () => {
  const chosen = shorterChoice(hide(990), runs);
  expect(chosen.hiddenRuns).toEqual([]);
  expect(chosen.onlyRuns).toEqual(runs.slice(990));
  const only = shorterChoice({ onlyRuns: runs.slice(5), hiddenRuns: [] }, runs);
  expect(only).toEqual({ onlyRuns: null, hiddenRuns: runs.slice(0, 5) });
  expect(runs.filter(isShown({ ...plainView, ...only }))).toEqual(runs.slice(5));
});

it('keeps a short or already shorter list, and one that would hide all', () => {
  expect(shorterChoice(hide(3), runs)).toEqual(hide(3));
  expect(shorterChoice(hide(3), runs.slice(0, 4))).toEqual(hide(3));
  expect(shorterChoice(hide(300), runs)).toEqual(hide(300));
  expect(shorterChoice(hide(1000), runs)).toEqual(hide(1000));
  expect(shorterChoice({ onlyRuns: ['\ud800'.repeat(1000)], hiddenRuns: [] }, ['b'])).toEqual({ onlyRuns: null, hiddenRuns: ['b'] });
});
