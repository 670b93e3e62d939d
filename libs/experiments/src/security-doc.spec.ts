import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, rules } from './permissions.ts';

const root = join(import.meta.dirname, '../../..');
const text = readFileSync(join(root, 'docs/security.md'), 'utf8');
/** The cells of a table's rows, by the heading above the table. */
const rowsOf = (heading: string): string[][] => {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!;
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

describe('docs/security.md', () => {
  it('lists every permission that the service checks', () => {
    const expected = (Object.keys(rules) as Action[]).map((action) => {
      const rule: { role: string; scope: string; toOthers?: string; visitors?: 'part' | 'whole' | 'report'; people?: true } = rules[action];
      const visitors =
        rule.visitors &&
        { part: 'what their view shows', whole: 'if they see the whole experiment', report: 'with a link to it' }[rule.visitors];
      return [
        `\`${action}\``,
        rule.toOthers ? `${rule.role}; of others: ${rule.toOthers}` : rule.role,
        rule.scope,
        visitors ?? '–',
        rule.people ? 'no' : 'yes',
      ];
    });
    expect(rowsOf('Roles')).toEqual(expected);
  });

  it.each(['Threats', 'Tests by number'])('names existing tests in each row of: %s', (heading) => {
    const rows = rowsOf(heading);
    expect(rows.length).toBeGreaterThan(20);
    for (const [what, , tests] of rows) {
      const named = Array.from(tests!.matchAll(/`([^`]+)`/g), ([, file]) => file!);
      expect([what, named.length > 0 || tests === '–']).toEqual([what, true]);
      expect([what, named.filter((file) => !existsSync(join(root, file)))]).toEqual([what, []]);
    }
  });

  it('names tests that contain their number', () => {
    for (const [number, , tests] of rowsOf('Tests by number')) {
      if (tests === '–') continue;
      const named = Array.from(tests!.matchAll(/`([^`]+)`/g), ([, file]) => readFileSync(join(root, file!), 'utf8'));
      const says = new RegExp(`[Rr]eliability tests?[^.:]*\\b${number}\\b`);
      expect([number, named.some((file) => says.test(file))]).toEqual([number, true]);
    }
  });
});
