import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '#config';
import { objectsToCheck } from './objects-to-check.ts';

it('rejects a folder of objects that does not exist, and does not create it', () => {
  const folder = join(tmpdir(), 'plotline-without-objects');
  expect(() => objectsToCheck(loadConfig({ PLOTLINE_DATA_DIR: folder }))).toThrow(`There is no object folder at ${folder}/blobs`);
  expect(existsSync(folder)).toBe(false);
});
