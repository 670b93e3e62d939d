import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = new Set(['string', 'RunName', 'TagName']);
const run = /^(run|\w*Run|runName|\w*RunName)$/;
const tag = /^(tag|\w*Tag|tagName|\w*TagName)$/;

/** Returns the names of parameters, or of tuple elements, with a declared text type. */
function textsOf(node: ts.Node): string[] {
  const parts = ts.isFunctionLike(node)
    ? [...node.parameters]
    : ts.isTupleTypeNode(node)
      ? node.elements.filter(ts.isNamedTupleMember)
      : [];
  return parts.flatMap(({ name, type }) => {
    const types = type && ts.isUnionTypeNode(type) ? type.types : type ? [type] : [];
    return types.some((one) => text.has(one.getText())) ? [name.getText()] : [];
  });
}

/** Returns the positions where a file has a run and a tag as two text parameters. */
function pairsIn(file: string, source: string): string[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const names = textsOf(node);
    if (names.some((name) => run.test(name)) && names.some((name) => tag.test(name)))
      found.push(`${file}:${parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1} (${names.join(', ')})`);
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

it('the product passes a run and a tag as one object (ADR 44)', () => {
  const product = globSync('{libs,apps}/*/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.spec\.|\/testing\//.test(file));
  expect(product.length).toBeGreaterThan(500);
  expect(product.flatMap((file) => pairsIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

it.each([
  '(run: string, tag: string) => 0',
  'function f(tagName: TagName | null, step: bigint, runName: RunName) {}',
  'type T = [run: string, tag: string]',
])('finds %s', (source) => {
  expect(pairsIn('x.ts', source)).toHaveLength(1);
});
