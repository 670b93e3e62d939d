import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let tree: string;

/**
 * Writes `files` into a small tree that has our rules, and returns the names of the violated rules.
 */
const brokenRules = async (files: Record<string, string>): Promise<string[]> => {
  for (const folder of ['libs', 'apps']) await rm(join(tree, folder), { recursive: true, force: true });
  const doors = {
    'libs/model/src/index.ts': 'export const model = 1;',
    'libs/store/src/index.ts': `export * from './rows.ts';`,
    'libs/store/src/rows.ts': 'export const rows = 1;',
  };
  for (const [name, text] of Object.entries({ ...doors, ...files })) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), `${text}\n`);
  }
  await mkdir(join(tree, 'apps'), { recursive: true });
  const options = await extractDepcruiseOptions(join(tree, '.dependency-cruiser.mjs'));
  // Runs in this process, because starting the program takes ten times as long as its work.
  const { output } = await cruise(['libs', 'apps'], options, undefined, { tsConfig: extractTSConfig('tsconfig.json') });
  return [...new Set((output as ICruiseResult).summary.violations.map(({ rule }) => rule.name))].sort();
};

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'plotline-rules-'));
  for (const file of ['.dependency-cruiser.mjs', 'package.json', 'tsconfig.json']) await cp(join(root, file), join(tree, file));
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  process.chdir(tree); // Names in results and rules are relative to the working folder.
});
afterAll(async () => {
  process.chdir(root);
  await rm(tree, { recursive: true });
});

it.each<[string, Record<string, string>, string[]]>([
  ['what the table allows', { 'libs/series/src/index.ts': `export { rows } from '#store';` }, []],
  ['a test that imports what it needs', { 'libs/points/src/a.spec.ts': `import 'node:fs'; import 'vitest'; import '#store';` }, []],
  ['an import in the wrong direction', { 'libs/points/src/index.ts': `export { rows } from '#store';` }, ['lib-points']],
  ['an import that bypasses the index', { 'libs/series/src/index.ts': `export { rows } from '../../store/src/rows.ts';` }, ['door-store']],
  ['a file system in a pure library', { 'libs/records/src/index.ts': `import 'node:fs/promises';` }, ['pure-without-effects']],
  [
    'a framework in a pure library',
    { 'libs/chunks/src/index.ts': `import '@nestjs/common';` },
    ['no-nest-in-the-core', 'pure-chunks-without-packages'],
  ],
  ['Nest in the CLI', { 'apps/cli/src/main.ts': `import '@nestjs/core';` }, ['no-nest-in-the-core']],
  ['the database in an app', { 'apps/read/src/a.ts': `import 'pg';` }, ['only-in-store']],
  [
    'an app in another app',
    { 'apps/read/src/a.ts': `import '../../upload/src/b.ts';`, 'apps/upload/src/b.ts': 'export {};' },
    ['app-read'],
  ],
  [
    'test code in production',
    { 'libs/series/src/index.ts': `import './testing/fake.ts';`, 'libs/series/src/testing/fake.ts': 'export {};' },
    ['testing-code-stays-in-tests'],
  ],
  [
    'a development package in production',
    { 'libs/series/src/index.ts': `import 'fast-check';` },
    ['no-development-packages-in-production'],
  ],
  ['a library that is not in the table', { 'libs/news/src/index.ts': `import '#model';` }, ['listed']],
  ['a cycle', { 'libs/series/src/index.ts': `import './a.ts';`, 'libs/series/src/a.ts': `import './index.ts';` }, ['no-cycles']],
  ['a missing file', { 'libs/series/src/index.ts': `import './gone.ts';` }, ['no-unresolved']],
])('judges %s', async (_, files, rules) => {
  expect(await brokenRules(files)).toEqual(rules);
});
