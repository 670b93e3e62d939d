import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { PartState } from './parts.ts';

/**
 * The headless shell is preferred: it has the same engine, but renders the same pages in two thirds
 * of the time.
 */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** The browser for tests: `TEST_CHROMIUM`, or an installed browser. `found` is its path. */
export async function findChromium(): Promise<PartState> {
  const given = process.env.TEST_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = given ? [given] : folders.flatMap((folder) => names.map((name) => join(folder, name)));
  for (const path of candidates)
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return { found: path };
  return {
    missing: given ? `TEST_CHROMIUM names ${given}, which is not executable` : 'no Chromium is installed, and TEST_CHROMIUM is not set',
  };
}
