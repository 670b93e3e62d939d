import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/*
 * Training machines have old versions of Node. All commands run on the oldest version in
 * package.json, so no file that the CLI loads may need a newer version.
 */

const root = join(import.meta.dirname, '../..');
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, { source: string }> };

/**
 * Exports that Node 20.12 lacks, by module: importing one of them by name fails before anything
 * runs.
 */
const newerNames: Record<string, RegExp> = {
  zlib: /^(crc32|.*zstd.*)$/i,
  fs: /^(glob|globSync)$/,
  'fs/promises': /^glob$/,
  path: /^matchesGlob$/,
  util: /^(getCallSites|diff|setTraceSigInt)$/,
  tls: /^(getCACertificates|setDefaultCACertificates)$/,
  module: /^(enableCompileCache|findPackageJSON|stripTypeScriptTypes|registerHooks)$/,
  timers: /^promises$/,
};
const newerCalls =
  /\b(Map\.groupBy|Object\.groupBy|Promise\.withResolvers|Promise\.try|Array\.fromAsync|RegExp\.escape|Iterator\.from|Uint8Array\.fromBase64|Uint8Array\.fromHex)\(|\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/;

/** Returns files that the CLI loads, at its start or later. */
function loaded(entry: string): Map<string, string> {
  const files = new Map<string, string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (files.has(file)) continue;
    const text = readFileSync(file, 'utf8');
    files.set(file, text);
    for (const [, name] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      const found = name!.startsWith('.') ? resolve(dirname(file), name!) : imports[name!] && join(root, imports[name!]!.source);
      if (found) waiting.push(found);
    }
  }
  return files;
}

it('no file of the CLI imports or calls what the oldest Node lacks', () => {
  const files = loaded(join(root, 'apps/cli/src/main.ts'));
  expect(files.size).toBeGreaterThan(100);
  expect([...files.keys()].every((file) => existsSync(file))).toBe(true);
  const wrong: string[] = [];
  for (const [file, text] of files) {
    for (const [, names, module] of text.matchAll(/import (?:\w+, )?\{([^}]*)\} from 'node:([a-z/]+)'/g))
      for (const name of names!.split(','))
        if (newerNames[module!]?.test(name.trim().split(' ')[0]!)) wrong.push(`${file}: import of ${name.trim()} from node:${module}`);
    if (file.startsWith(join(root, 'apps/cli'))) {
      const call = newerCalls.exec(text);
      if (call) wrong.push(`${file}: ${call[0]}`);
    }
  }
  expect(wrong).toEqual([]);
});
