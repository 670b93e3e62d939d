import axe from 'axe-core';
import type { Visit } from './browser.ts';

/**
 * Returns the axe violations in a window, by all axe rules or only those on colors. Axe runs
 * through the debugger, because the content security policy forbids adding scripts to a page.
 * `covered` are selectors of parts that an open menu covers, where targets are too small to be
 * checked.
 */
export async function violations(visit: Visit, rules: 'all' | 'colors' = 'all', covered: readonly string[] = []): Promise<string[]> {
  if (!(await visit.page.evaluate<boolean>(`'axe' in globalThis`))) await visit.page.evaluate(axe.source);
  const runOnly =
    rules === 'all' ? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] : ['color-contrast', 'link-in-text-block'];
  const { violations: found } = await visit.page.evaluate(
    ({ only, exclude }) => (globalThis as unknown as { axe: typeof axe }).axe.run({ exclude: [...exclude] }, { runOnly: only }),
    { only: runOnly, exclude: covered },
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
