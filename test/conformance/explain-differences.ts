import type { LogDirectoryName } from '../logs/log-directories.ts';
import type { Difference } from './shown-differences.ts';

/** How an experiment came to us. */
export type Via = 'native' | 'stock';

/** Sorts out the differences that test/data's rules name; the others are returned as text. */
export async function explain(name: LogDirectoryName, via: Via, found: readonly Difference[]): Promise<{ readonly unexplained: string[] }> {
  void name;
  void via;
  return { unexplained: found.map((difference) => JSON.stringify(difference).slice(0, 600)) };
}
