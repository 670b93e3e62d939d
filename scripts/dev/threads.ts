import { join } from 'node:path';
import { build } from 'vite';

let last: Promise<unknown> = Promise.resolve();
let wanted = 0;

/**
 * Builds the ingest threads, one build at a time. Returns false if a later change superseded this
 * build.
 */
export async function buildThreads(root: string): Promise<boolean> {
  const own = ++wanted;
  last = last.then(async () => {
    if (own === wanted)
      await build({ root: join(root, 'apps/ingest'), configFile: join(root, 'apps/ingest/vite.config.ts'), logLevel: 'error' });
  });
  await last;
  return own === wanted;
}
