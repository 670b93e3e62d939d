import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalog } from '../chaos/catalog.ts';
import { degraded } from '../chaos/degraded/index.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| (\d+|–) \|/.test(line));

/** Numbers of the tests of all scenarios. */
const scenarios = [...new Set([...catalog.flatMap(({ test }) => test.split(', ')), ...degraded.map(({ test }) => String(test))])];

/** Numbers that the commands of the table pass to `--test`. */
const commands = rows.flatMap((row) => [...row.matchAll(/--test ([\d,]+)`/g)].flatMap(([, tests]) => tests!.split(',')));

describe('the table of docs/reliability.md', () => {
  it.each(scenarios)('has a row for test %s, which `npm run chaos` runs', (test) => {
    expect(rows.filter((row) => row.startsWith(`| ${test} |`))).toHaveLength(1);
  });

  it('has no command for a test that does not exist', () => {
    expect(commands.filter((test) => !scenarios.includes(test))).toEqual([]);
    expect(commands.length).toBeGreaterThan(20);
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
