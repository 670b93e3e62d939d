import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Inside the repository, where `#name` resolves. */
const folder = join(root, '.cache/examples');

/** The libraries, by folder name. */
export const libs: readonly string[] = readdirSync(join(root, 'libs'));

/** An example in a README or a doc comment. */
export interface Example {
  /** Its location. */
  readonly name: string;
  /** A module. */
  readonly code: string;
  /**
   * True for a block that begins with "```ts store": it uses `store`, `tenantId`, `experimentId`
   * and `world` of a test database.
   */
  readonly needsStore: boolean;
}

/** Returns the README of a library. */
export function readmeOf(lib: string): string {
  return readFileSync(join(root, 'libs', lib, 'README.md'), 'utf8');
}

/** Returns the example in a README. */
export function exampleIn(lib: string): Example {
  const [, language, code] = /^```(ts|ts store)\n(.*?)^```$/ms.exec(readmeOf(lib)) ?? [];
  return { name: `libs/${lib}/README.md`, code: code ?? '', needsStore: language === 'ts store' };
}

const sources = ['libs', 'apps'].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!web\b)[^/]+\/src\/.*(?<!\.spec)\.ts$/.test(path))
    .map((path) => `${place}/${path}`),
);

/** Returns all examples in doc comments. Indented examples belong to members. */
export function docExamples(): Example[] {
  return sources.flatMap((path): Example[] => {
    const file = join(root, path);
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/^ *\* ```(ts|ts store)\n(.*?)^ *\* ```$/gms)].map(([, language, lines], i) => ({
      name: `${path} ${i + 1}`,
      code: moduleOf(file, text, lines!.replaceAll(/^ *\* ?/gm, '')),
      needsStore: language === 'ts store',
    }));
  });
}

/** As in Rust, the file's exports need no import, and neither does `assert`. */
function moduleOf(file: string, text: string, code: string): string {
  const exported = [...text.matchAll(/^export (?:async |abstract )?(?:(class|const|function)|interface|type) (\w+)/gm)].map(
    ([, isValue, name]) => (isValue ? name : `type ${name}`),
  );
  const imports = [`import assert from 'node:assert/strict';`, `import { ${exported.join(', ')} } from '${file}';`];
  return [...imports, code.replaceAll(` from './`, ` from '${dirname(file)}/`)].join('\n');
}

/**
 * Runs an example as a module in this process, with `values` as its variables. Vitest transforms
 * the example like the libraries: some have decorators, which Node does not support (ADR 2).
 */
export async function runExample(
  { name, code }: Pick<Example, 'name' | 'code'>,
  values: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`);
  const names = Object.keys(values);
  mkdirSync(folder, { recursive: true });
  const whole = names.length === 0 ? code : `const { ${names.join(', ')} } = globalThis.exampleValues;\n${code}`;
  if (!existsSync(file) || readFileSync(file, 'utf8') !== whole) writeFileSync(file, whole);
  Object.assign(globalThis, { exampleValues: values });
  await import(/* @vite-ignore */ file);
}
