import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { docExamples, type Example, exampleIn, libs } from './examples.ts';

const root = join(import.meta.dirname, '..');

/** Variables of examples that need a database. */
const storeValues = `import type { SeriesWorld } from '#series/testing';
declare const world: SeriesWorld;
const { store, tenantId, experimentId } = world;
`;

it('every example compiles', { timeout: 60_000 }, () => {
  const folder = join(root, '.cache/example-types');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const examples = [...libs.map(exampleIn), ...docExamples()].filter(({ code }) => code !== '');
  expect(examples.length).toBeGreaterThan(40);
  const files = new Map(examples.map((example) => [join(folder, `${example.name.replaceAll(/\W/g, '-')}.ts`), example]));
  for (const [file, { code, needsStore }] of files) writeFileSync(file, (needsStore ? storeValues : '') + code);
  expect(faults(files)).toEqual([]);
});

/** Each error as "example: message (code)". */
function faults(files: ReadonlyMap<string, Example>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const relaxed = { noUnusedLocals: false, noUnusedParameters: false, noEmit: true, incremental: false };
  const modern = { allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false, lib: ['lib.esnext.d.ts'] };
  const program = ts.createProgram([...files.keys()], { ...options, ...relaxed, ...modern, tsBuildInfoFile: undefined });
  return [...files].flatMap(([file, { name }]) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText, start, file: source }) => {
      const line = source && start !== undefined ? source.text.slice(start).split('\n', 1)[0] : '';
      return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} at: ${line}`;
    }),
  );
}
