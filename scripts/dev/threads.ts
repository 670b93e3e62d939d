import { join } from 'node:path';
import { build } from 'vite';

let last: Promise<unknown> = Promise.resolve();
let wanted = 0;

/** Builds the threads of ingest, one build at a time. False: a later change came first, and builds them. */
export async function buildThreads(root: string): Promise<boolean> {
  const own = ++wanted;
  last = last.then(async () => {
    if (own === wanted)
      await build({ root: join(root, 'apps/ingest'), configFile: join(root, 'apps/ingest/vite.config.ts'), logLevel: 'error' });
  });
  await last;
  return own === wanted;
}
