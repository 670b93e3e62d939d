import { describe, expect, it } from 'vitest';
import { docExamples, exampleIn, libs, readmeOf, runExample } from './examples.ts';

/** Covers loading the library and its imports, which takes seconds on a busy machine. */
const timeout = 120_000;

describe.each(libs)('libs/%s/README.md', (lib) => {
  it('has at most 30 lines and one example, which imports the library and asserts its result', () => {
    const text = readmeOf(lib);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(text.match(/^```.*/gm)).toEqual([expect.stringMatching(/^```ts( store)?$/), '```']);
    const { code } = exampleIn(lib);
    expect(code).toContain(` from '#${lib}';\n`);
    expect(code).toMatch(/^import assert from 'node:assert\/strict';\n[^]*\bassert\./);
    expect(code.match(/^.+$/gm)!.length).toBeLessThanOrEqual(14);
  });
});

it.each(libs.map(exampleIn).filter(({ needsStore }) => !needsStore))('the example of $name works', { timeout }, (example) =>
  expect(runExample(example)).resolves.toBeUndefined(),
);

describe('an example in a doc comment', () => {
  const all = docExamples();
  it('is found', () => expect(all.length).toBeGreaterThan(20));

  it.each(all)('$name asserts its results', ({ code }) => expect(code).toContain('assert.'));

  it.each(all.filter(({ needsStore }) => !needsStore))('$name works', { timeout }, (example) =>
    expect(runExample(example)).resolves.toBeUndefined(),
  );
});

it('fails with its message if it is wrong', async () => {
  const code = `import assert from 'node:assert/strict';
import { tableFloat } from '#model';

assert.equal(tableFloat(3), '3', 'a float has a point');
`;
  await expect(runExample({ name: 'wrong', code })).rejects.toThrow('a float has a point');
});
