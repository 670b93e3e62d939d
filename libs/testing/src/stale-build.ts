import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The sources of each part of the build. */
const parts = [
  { built: 'dist/threads/**/*.js', sources: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'] },
  { built: 'dist/web/**/*.*', sources: ['apps/web/src/**/*.{ts,tsx,css}', 'libs/charts/src/**/*.ts'] },
];

/** Files that are not in the build or do not change its behavior. */
const notBuilt = /\.spec\.tsx?$|\/testing\/|^libs\/testing\//;

/**
 * A source file that is newer than the build in `dist`, which the system tests run. Null if the
 * build is up to date. `root` is the repository folder.
 */
export function changedSinceBuild(root: string): string | null {
  for (const { built, sources } of parts) {
    const builtAt = newest(globSync(built, { cwd: root }), root)?.time ?? 0;
    const files = globSync(sources, { cwd: root }).filter((file) => !notBuilt.test(file));
    const others = built.startsWith('dist/web') ? files : files.filter((file) => !file.startsWith('apps/web/'));
    const source = newest(others, root);
    if (source && source.time > builtAt) return source.file;
  }
  return null;
}

function newest(files: readonly string[], root: string): { readonly file: string; readonly time: number } | null {
  const times = files.map((file) => ({ file, time: statSync(join(root, file)).mtimeMs }));
  return times.reduce<(typeof times)[number] | null>((latest, one) => (latest && latest.time >= one.time ? latest : one), null);
}
