import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

it('workflows name each action by a commit, with its version beside it: tags can be moved', () => {
  const used = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\buses: (.*)/g)].map(([, action]) => action),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((action) => !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action!))).toEqual([]);
});
