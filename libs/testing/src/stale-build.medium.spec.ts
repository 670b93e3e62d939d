import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedSinceBuild } from './stale-build.ts';

describe('a build', () => {
  let root: string;

  /** Writes a file with this second as its modification time. */
  const write = async (file: string, second: number): Promise<void> => {
    const path = join(root, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    await utimes(path, second, second);
  };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'plotline-build-'));
    await write('libs/store/src/store.ts', 10);
    await write('apps/web/src/main.tsx', 10);
    await write('dist/threads/ingest.js', 20);
    await write('dist/web/assets/main.js', 20);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('is up to date while no source is newer, whatever happens to tests', async () => {
    await write('libs/store/src/store.spec.ts', 30);
    await write('libs/store/src/testing/rows.ts', 30);
    expect(changedSinceBuild(root)).toBeNull();
  });

  it('is stale after a change of the service, until it is built again', async () => {
    await write('libs/store/src/store.ts', 30);
    expect(changedSinceBuild(root)).toBe('libs/store/src/store.ts');
    await write('dist/threads/ingest.js', 40);
    expect(changedSinceBuild(root)).toBeNull();
  });

  it('is stale after a change of the page, until the page is built again', async () => {
    await write('apps/web/src/theme/base.css', 50);
    expect(changedSinceBuild(root)).toBe('apps/web/src/theme/base.css');
    await write('dist/web/assets/main.js', 60);
    expect(changedSinceBuild(root)).toBeNull();
  });
});
