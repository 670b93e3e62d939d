import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
/** Inside the repository, where `#name` resolves. */
const folder = join(root, '.cache/readme-examples');
const libs = readdirSync(join(root, 'libs'));

/**
 * Runs an example as a module in this process. Vitest transforms it like the libraries: some have
 * decorators, which Node does not support (ADR 2).
 */
async function run(name: string, code: string): Promise<void> {
  const file = join(folder, `${name}.ts`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== code) writeFileSync(file, code);
  await import(/* @vite-ignore */ file);
}

/** Covers loading the library and its imports, which takes seconds on a busy machine. */
const timeout = 120_000;

describe.each(libs)('libs/%s/README.md', (lib) => {
  const read = (): string => readFileSync(join(root, 'libs', lib, 'README.md'), 'utf8');
  const codeIn = (text: string): string => /^```ts\n(.*?)^```$/ms.exec(text)?.[1] ?? '';

  it('has at most 30 lines and one example, which imports the library and asserts its result', () => {
    const text = read();
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(text.match(/^```.*/gm)).toEqual(['```ts', '```']);
    const code = codeIn(text);
    expect(code).toContain(` from '#${lib}';\n`);
    expect(code).toMatch(/^import assert from 'node:assert\/strict';\n[^]*\bassert\./);
    expect(code.match(/^.+$/gm)!.length).toBeLessThanOrEqual(14);
  });

  it('has an example that works', { timeout }, () => expect(run(lib, codeIn(read()))).resolves.toBeUndefined());
});

/** An example in a doc comment; `name` is its location. */
interface DocExample {
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

const sources = ['libs', 'apps'].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!web\b)[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(path))
    .map((path) => `${place}/${path}`),
);

/** Indented examples belong to members. */
const docExamples = sources.flatMap((path): DocExample[] => {
  const file = join(root, path);
  const examples = readFileSync(file, 'utf8').matchAll(/^ *\* ```ts\n(.*?)^ *\* ```$/gms);
  return [...examples].map(([, lines], i) => ({ name: `${path} ${i + 1}`, file, code: lines!.replaceAll(/^ *\* ?/gm, '') }));
});

/** As in Rust, the file's exports need no import, and neither does `assert`. */
function moduleOf({ file, code }: DocExample): string {
  const exported = [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:class|const|function) (\w+)/gm)].map(([, name]) => name);
  const imports = [`import assert from 'node:assert/strict';`, `import { ${exported.join(', ')} } from '${file}';`];
  return [...imports, code.replaceAll(` from './`, ` from '${dirname(file)}/`)].join('\n');
}

describe('an example in a doc comment', () => {
  it('is found', () => expect(docExamples.length).toBeGreaterThan(10));

  it.each(docExamples)('$name asserts its results, and works', { timeout }, async (example) => {
    expect(example.code).toContain('assert.');
    await run(example.name.replaceAll(/\W/g, '-'), moduleOf(example));
  });
});

it('fails with its message if it is wrong', async () => {
  const wrong = `import assert from 'node:assert/strict';
import { tableFloat } from '#model';

assert.equal(tableFloat(3), '3', 'a float has a point');
`;
  await expect(run('wrong', wrong)).rejects.toThrow('a float has a point');
});
