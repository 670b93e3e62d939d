import { expect, it } from 'vitest';
import { kindOf } from './sources.ts';

it.each([
  ['libs/store/src/queries/experiments/list-runs.ts', 'service'],
  ['apps/read/src/main.ts', 'service'],
  ['apps/web/src/main.tsx', 'web'],
  ['libs/store/src/queries/experiments/list-runs.spec.ts', 'nothing'],
  ['libs/store/sql/list-runs.sql', 'nothing'],
  ['docs/api.md', 'nothing'],
])('%s affects: %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});
