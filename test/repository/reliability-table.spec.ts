import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalog } from '../chaos/catalog.ts';
import { degraded } from '../chaos/degraded/index.ts';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| (\d+|–) \|/.test(line));

/** The number and the commands of each row. */
const numbered = rows.map((row) => {
  const [, number = '', , command = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return { number, commands: [...command.matchAll(/`([^`]+)`/g)].map(([, one]) => one!) };
});

const { scripts: packageScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const specs = globSync('{apps,libs,scripts,test}/**/*.spec.ts', { cwd: root });

/** What is missing from a row's command: a script, a benchmark, or test files. */
function missingParts(command: string): string[] {
  const words = command.split(' ').filter((word) => !/^[A-Z_]+=/.test(word)); // without the environment
  const script = words[1] === 'test' ? 'test' : words.slice(2).find((word) => !word.startsWith('-'));
  if (words[0] !== 'npm' || script === undefined || !(script in packageScripts)) return [command];
  const names = words.slice(words.indexOf('--') + 1).filter((word) => !word.startsWith('-'));
  if (!words.includes('--') || script === 'chaos') return [];
  if (script === 'bench') return names.slice(0, 1).filter((name) => !existsSync(join(root, `bench/${name}.bench.ts`)));
  const tiers = ['unit', 'medium', 'e2e', 'web', 'chaos', 'conformance', 'contract'];
  return names.filter((name) => !(script === 'test' && tiers.includes(name)) && !specs.some((file) => file.includes(name)));
}

/** The test numbers of all scenarios. */
const scenarios = [...new Set([...catalog.flatMap(({ test }) => test.split(', ')), ...degraded.map(({ test }) => String(test))])];

/** Numbers that the commands in the table pass to `--test`. */
const commands = rows.flatMap((row) => [...row.matchAll(/--test ([\d,]+)`/g)].flatMap(([, tests]) => tests!.split(',')));

describe('the table of docs/reliability.md', () => {
  it.each(scenarios)('has a row for test %s, which `npm run chaos` runs', (test) => {
    expect(rows.filter((row) => row.startsWith(`| ${test} |`))).toHaveLength(1);
  });

  it('has no command for a test that does not exist', () => {
    expect(commands.filter((test) => !scenarios.includes(test))).toEqual([]);
    expect(commands.length).toBeGreaterThan(20);
  });

  it('has the number of a scenario where its command runs one, and the other way round', () => {
    const unlike = numbered.filter(({ number, commands: list }) => {
      const tests = list.flatMap((command) => /^npm run chaos -- --test (\S+)$/.exec(command)?.[1] ?? []);
      return tests.length > 0 ? !tests.includes(number) : scenarios.includes(number);
    });
    expect(unlike).toEqual([]);
  });

  it('names only scripts, benchmarks and tests that exist', () => {
    const all = numbered.flatMap(({ commands: list }) => list);
    expect(all.flatMap(missingParts)).toEqual([]);
    expect(missingParts('npm run test:e2e -- test/deletion/no-such-test')).toEqual(['test/deletion/no-such-test']);
    expect(all.length).toBeGreaterThan(rows.length);
  });

  it('has a criterion, a command and a result in each row', () => {
    const cells = rows.map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(cells.filter((row) => row.length !== 4 || row.slice(1).includes(''))).toEqual([]);
  });
});
