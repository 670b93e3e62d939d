import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Tests that drawings equal the committed `<folder>/<name>.svg`, which reviewers can view.
 * `UPDATE_PICTURES=1` writes the files and removes those without a drawing, but never with `CI`
 * set.
 */
export function comparePictures(folder: string, pictures: Readonly<Record<string, () => string>>): void {
  const names = Object.keys(pictures);
  if (process.env.UPDATE_PICTURES === '1' && !process.env.CI) {
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    for (const name of names) writeFileSync(join(folder, `${name}.svg`), reviewForm(pictures[name]!()));
  }

  it.each(names)('%s is drawn as in its committed picture', (name) => {
    const path = join(folder, `${name}.svg`);
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : null;
    expect(reviewForm(pictures[name]!()), `UPDATE_PICTURES=1 writes ${path}`).toBe(committed);
  });

  it('each committed picture has a drawing', () => {
    expect(readdirSync(folder).toSorted()).toEqual(names.map((name) => `${name}.svg`).toSorted());
  });
}

/** One element per line, so that a difference shows the elements that changed. */
function reviewForm(svg: string): string {
  return svg.replaceAll('><', '>\n<');
}
