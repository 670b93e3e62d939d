import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
  .concat(readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)))
  .concat(readdirSync(join(root, 'libs')).map((lib) => join('libs', lib, 'README.md')))
  .filter((name) => name.endsWith('.md'));

/** Returns the target of each relative link in a Markdown document. */
function targetsOf(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/```[^]*?```/g, '');
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
}

it.each(documents)('%s links only to existing files', (document) => {
  const missing = targetsOf(document).filter((target) => !existsSync(join(root, dirname(document), decodeURI(target))));
  expect(missing).toEqual([]);
});
