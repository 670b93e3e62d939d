import { describe, expect, it } from 'vitest';
import { limits, Problem } from '#model';
import { experimentFields } from '#store';
import { checkLabels, checkText } from './experiment-names.ts';
import { parseFilter } from './filter.ts';
import { readPage } from './page-token.ts';

/** The code of the problem that `work` throws; null if it returns. */
function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe('text at a limit', () => {
  it.each([
    ['name', limits.maxExperimentNameCharacters],
    ['description', limits.maxExperimentDescriptionCharacters],
    ['notes of an experiment', limits.maxExperimentNotesCharacters],
    ['notes of a run', limits.maxRunNotesCharacters],
  ])('a %s of %i characters fits, one more does not; a character outside the BMP counts once', (what, max) => {
    for (const character of ['n', 'ü', '🙂']) {
      const text = character.repeat(max);
      expect(checkText(text, what, max)).toBe(text);
      expect(codeOf(() => checkText(text + character, what, max))).toBe('name-too-long');
    }
  });

  it('a label has at least one character, and at most those of a name', () => {
    const max = limits.maxExperimentNameCharacters;
    expect(checkLabels(['a'.repeat(max)])).toEqual(['a'.repeat(max)]);
    expect(codeOf(() => checkLabels(['a'.repeat(max + 1)]))).toBe('name-too-long');
    expect(codeOf(() => checkLabels(['']))).toBe('invalid-name');
  });

  it('as many labels as the limit, duplicates not counted', () => {
    const labels = Array.from({ length: limits.maxLabels }, (_, i) => `label ${i}`);
    expect(checkLabels([...labels, 'label 0'])).toEqual(labels);
    expect(codeOf(() => checkLabels([...labels, 'one more']))).toBe('bad-request');
  });

  it('a filter of exactly the limit', () => {
    const filter = 'a'.repeat(limits.maxFilterCharacters);
    expect(parseFilter(filter, experimentFields)).toMatchObject({ value: filter });
    expect(codeOf(() => parseFilter(`${filter}a`, experimentFields))).toBe('invalid-filter');
  });

  it('a page: a larger size is lowered to the limit', () => {
    const sizeOf = (size: number | undefined) => readPage(size, undefined, []).size;
    expect([limits.maxPageSize - 1, limits.maxPageSize, limits.maxPageSize + 1, undefined].map(sizeOf)).toEqual([
      limits.maxPageSize - 1,
      limits.maxPageSize,
      limits.maxPageSize,
      limits.defaultPageSize,
    ]);
  });
});
