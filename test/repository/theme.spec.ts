import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('a chosen dark theme has the same colors as a dark system', () => {
  const css = readFileSync(join(import.meta.dirname, '../../apps/web/src/theme/base.css'), 'utf8');
  const colors = (pattern: RegExp): string[] => {
    const [, block] = pattern.exec(css)!;
    return block!.match(/--[\w-]+: [^;]+/g)!;
  };
  const system = colors(/prefers-color-scheme: dark\) \{\s*:root:not\(\[data-theme='light'\]\) \{([^}]*)\}/);
  expect(system.length).toBeGreaterThan(20);
  expect(colors(/:root\[data-theme='dark'\] \{([^}]*)\}/)).toEqual(system);
});
