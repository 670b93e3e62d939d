/**
 * Exits with 1 if a source file is newer than the build in `dist`. Scripts that run the build call
 * it first; they need the build because Node alone cannot load Nest's decorators.
 */
import { join } from 'node:path';
import { changedSinceBuild } from '../libs/testing/src/stale-build.ts';

const changed = changedSinceBuild(join(import.meta.dirname, '..'));
if (changed !== null) {
  console.error(`${changed} changed after the build, which this script runs. Run npm run build first.`);
  process.exitCode = 1;
}
