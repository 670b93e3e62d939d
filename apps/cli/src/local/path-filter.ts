import { createRequire } from 'node:module';

/** Selects files by the path below the log directory (always with `/`). */
export interface PathFilter {
  /** Whether this event file is selected. */
  accepts(relative: string): boolean;
  /** Whether anything below this folder can be selected. */
  mayContain(relativeFolder: string): boolean;
}

type Matcher = (path: string) => boolean;

/**
 * The filter of `--include` and `--exclude`. A glob is matched against the path of the file and of
 * each folder above it, so `--exclude val` excludes everything below a folder `val`. A glob without
 * `/` matches a name at any depth; a glob with `/` matches the whole path from the log directory.
 * Without `--include`, everything is selected. Exclusions win.
 */
export function pathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  if (include.length === 0 && exclude.length === 0) return { accepts: () => true, mayContain: () => true };
  const wanted = include.map(matcher);
  const unwanted = exclude.map(matcher);
  const excluded = (path: string): boolean =>
    unwanted.length > 0 && prefixes(path).some((part) => unwanted.some((matches) => matches(part)));
  return {
    accepts: (path) => !excluded(path) && (wanted.length === 0 || prefixes(path).some((part) => wanted.some((matches) => matches(part)))),
    mayContain: (folder) => !excluded(folder),
  };
}

function matcher(glob: string): Matcher {
  const picomatch = createRequire(import.meta.url)('picomatch') as (glob: string, options: object) => Matcher;
  const anchored = glob.includes('/');
  const matches = picomatch(glob.replace(/^\.?\/+/, '').replace(/\/+$/, ''), { dot: true });
  return anchored ? matches : (path) => matches(path.slice(path.lastIndexOf('/') + 1));
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function prefixes(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}
