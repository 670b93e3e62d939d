import { expect, it } from 'vitest';
import { listedRun } from '../api/testing/listed.ts';
import type { RunJson } from '../api/types.ts';
import { inOrderOfBeginning } from './run-order.ts';

it('orders runs by their start, then by name', () => {
  const run = (name: string, start: RunJson['start_time']): RunJson => listedRun(name, { start_time: start });
  const runs = [run('r10', 5), run('r2', 5), run('late', 9), run('never', null), run('odd', 'NaN'), run('early', 1)];
  expect(inOrderOfBeginning(runs).map(({ run: name }) => name)).toEqual(['early', 'r2', 'r10', 'late', 'never', 'odd']);
});
