import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const brands = ['ids', 'names'].flatMap((file) =>
  [...readFileSync(join(root, `libs/model/src/${file}.ts`), 'utf8').matchAll(/^export type (\w+) = (?:Id|Name)</gm)].map(
    ([, name]) => name!,
  ),
);
const cast = new RegExp(String.raw`\b(?:as|satisfies) (?:readonly )?(?:${brands.join('|')})\b`);

it('the product casts nothing to an id or a name: guards and columns give ids their brand, and names need none', () => {
  expect(brands).toEqual(expect.arrayContaining(['TenantId', 'RunName']));
  const product = globSync('{libs,apps}/*/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.spec\.|\/testing\//.test(file));
  expect(product.length).toBeGreaterThan(500);
  expect(product.filter((file) => cast.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
