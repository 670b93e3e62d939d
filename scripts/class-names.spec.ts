import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import postcss from 'postcss';
import { expect, it } from 'vitest';

/**
 * Class names of the page are global (ADR 43): these rules keep two parts of the page from sharing
 * a name by accident.
 */

const root = join(import.meta.dirname, '..');
const read = (pattern: string): { readonly file: string; readonly text: string }[] =>
  globSync(pattern, { cwd: root })
    .filter((file) => !/\.spec\.|\/testing\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** Each selector in the style sheets, with its classes. */
const selectors = read('apps/web/src/theme/*.css').flatMap(({ file, text }) => {
  const found: { readonly file: string; readonly selector: string; readonly classes: readonly string[] }[] = [];
  postcss.parse(text).walkRules((rule) => {
    for (const selector of rule.selectors) {
      const classes = [...selector.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name]) => name!);
      found.push({ file: basename(file), selector, classes });
    }
  });
  return found;
});
const styled = new Set(selectors.flatMap(({ classes }) => classes));

/** The files with a selector of this class alone, which define its appearance everywhere. */
const homes = new Map<string, Set<string>>();
for (const { file, classes } of selectors) {
  const [name, ...others] = classes;
  if (name !== undefined && others.length === 0) homes.set(name, (homes.get(name) ?? new Set()).add(file));
}

const code = read('{apps/web/src,apps/read/src,libs/http/src,libs/charts/src}/**/*.{ts,tsx}');
const texts = code.flatMap(({ text }) => text.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join(' ');
const words = new Set(texts.match(/[A-Za-z][\w-]*/g));
/** The constant parts before a value, as in `span-${count}`. */
const starts = [...texts.matchAll(/(?<![\w-])([A-Za-z][\w-]*)\$\{/g)].map(([, start]) => start!);

it('a class alone is styled in one file', () => {
  expect(styled.size).toBeGreaterThan(300);
  const shared = [...homes].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files].join(' '));
  expect(shared, 'rename one of them, or move the rules into one file').toEqual([]);
});

it('classes of other files are styled only inside or together with a class of the same file, or one without a file', () => {
  const foreign = selectors.filter(
    ({ file, classes }) => classes.length > 1 && classes.every((name) => homes.get(name)?.has(file) === false),
  );
  expect(foreign.map(({ file, selector }) => `${selector} in ${file}`)).toEqual([]);
});

it('every class that a style names is used', () => {
  const unused = [...styled].filter((name) => !words.has(name) && !starts.some((start) => name.startsWith(start)));
  expect(unused).toEqual([]);
});

it('every class that a page names is styled, or selected by a test', () => {
  const named = code.flatMap(({ file, text }) =>
    [...text.matchAll(/\bclass(?:Name)?="([^"{}$]+)"/g)].flatMap(([, names]) => names!.split(' ').map((name) => ({ file, name }))),
  );
  expect(named.length).toBeGreaterThan(500);
  const tests = globSync('test/web/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const isSelected = (name: string): boolean => tests.some((text) => new RegExp(String.raw`\.${name}\b`).test(text));
  const needless = named.filter(({ name }) => !styled.has(name) && !isSelected(name));
  expect(needless.map(({ file, name }) => `${name} in ${file}`)).toEqual([]);
});
